"""The workbench and the desk in a browser: pages that call the library as the command line does, and judge nothing."""
