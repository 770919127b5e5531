"""A notebook that was exported as a script."""
get_ipython().run_line_magic("matplotlib", "inline")
