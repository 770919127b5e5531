"""Importing it installs retrograd as torch: multiprocessing's fork server does so.

Its children inherit the installed finder, and the names of NOTE [names of classes and functions] in
`_install.py`, by which pickles find classes.
"""

from retrograd._install import install

install()
