*! What follows from tables that are already made, from Stata: a thin wrapper around `dalenius audit'.
*
*   dalenius_audit "outputs", rule("hidden means 1 to 9")
*   display r(verdict)                  // pass, fail or review
*
* Needs `dalenius' on the path (global DALENIUS names another command). The answer is printed; the exit code is kept.
program define dalenius_audit, rclass
    version 14
    syntax anything(name=tables), [TABLESfile(string) RULE(string) ROUNDED(string) THRESHOLD(integer 0) ///
        ZEROS(string) EARLIER(string) SECONDS(integer 60) OUTPUT(string) PAGE(string) ANNOTATE]
    local command = cond("$DALENIUS" == "", "dalenius", "$DALENIUS")
    local line `"`command' audit `tables' --seconds `seconds'"'
    if `"`tablesfile'"' != "" local line `"`line' --tables "`tablesfile'""'
    if `"`rule'"' != "" local line `"`line' --rule "`rule'""'
    if `"`rounded'"' != "" local line `"`line' --rounded "`rounded'""'
    if `threshold' > 0 local line `"`line' --threshold `threshold'"'
    if `"`zeros'"' != "" local line `"`line' --zeros `zeros'"'
    if `"`earlier'"' != "" local line `"`line' --earlier "`earlier'""'
    if `"`output'"' != "" local line `"`line' --output "`output'""'
    if `"`page'"' != "" local line `"`line' --page "`page'""'
    if "`annotate'" != "" local line `"`line' --annotate"'
    tempfile told code
    if c(os) == "Windows" {
        quietly shell `line' > "`told'" 2>&1 & call echo %^errorlevel% > "`code'"
    }
    else {
        quietly shell `line' > "`told'" 2>&1; echo $? > "`code'"
    }
    type "`told'"
    file open answer using "`code'", read text
    file read answer exit
    file close answer
    local exit = real(trim("`exit'"))
    local verdict = cond(`exit' == 0, "pass", cond(`exit' == 1, "fail", cond(`exit' == 3, "review", "")))
    if "`verdict'" == "" {
        display as error "dalenius gave no answer (exit code `exit')"
        exit 198
    }
    return local verdict "`verdict'"
    return scalar exit_code = `exit'
end
