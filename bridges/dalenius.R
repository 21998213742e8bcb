# What follows from tables that are already made, from R: a thin wrapper around `dalenius audit --json`.
#
#   source("dalenius.R")
#   found <- dalenius_audit("outputs/", rules = "hidden means 1 to 9")
#   found$verdict                      # "pass", "fail" or "review"
#   found$numbers[[1]]$low             # and $high, $status, $name
#
# Needs the package jsonlite, and `dalenius` on the path (or options(dalenius.command = c("python", "-m", "dalenius"))).

dalenius_audit <- function(tables, tables_file = NULL, rules = character(), rounded = NULL, threshold = NULL,
                           zeros = NULL, attacker = NULL, width = NULL, earlier = character(), seconds = NULL,
                           output = NULL, page = NULL, annotate = FALSE, remedy = TRUE) {
  one <- function(name, value) if (is.null(value)) character() else c(name, as.character(value))
  each <- function(name, values) unlist(lapply(values, function(value) c(name, as.character(value))))
  dalenius_run(c(
    "audit", tables, one("--tables", tables_file), each("--rule", rules), one("--rounded", rounded),
    one("--threshold", threshold), one("--zeros", zeros), one("--attacker", attacker), one("--width", width),
    each("--earlier", earlier), one("--seconds", seconds), one("--output", output), one("--page", page),
    if (annotate) "--annotate", if (!remedy) "--no-remedy", "--json"
  ))
}

# Any command with --json. An answer (exit codes 0, 1 and 3) is returned as a list; what is no answer is an error.
dalenius_run <- function(arguments) {
  if (!requireNamespace("jsonlite", quietly = TRUE)) stop("dalenius needs the package jsonlite: install.packages('jsonlite')")
  command <- getOption("dalenius.command", "dalenius")
  told <- tempfile()
  on.exit(unlink(told))
  said <- suppressWarnings(
    system2(command[1], shQuote(c(command[-1], arguments)), stdout = TRUE, stderr = told)
  )
  code <- attr(said, "status")
  code <- if (is.null(code)) 0L else code
  if (!code %in% c(0L, 1L, 3L)) stop(paste(readLines(told, warn = FALSE), collapse = "\n"), call. = FALSE)
  found <- jsonlite::fromJSON(paste(said, collapse = "\n"), simplifyVector = FALSE)
  found$exit_code <- code
  found
}
