"""The documentation site: pages of docs/, reference pages from the code, built by Zensical."""
