"""Imported by multiprocessing's fork server; its children inherit the installed finder."""

from retrograd._install import install

install()
