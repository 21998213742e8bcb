"""What to say to somebody who answers a question with "?"."""

from collections.abc import Mapping

HELP: Mapping[str, str] = {
    "header": "A table in a text file begins with a line such as id,region,smoker. If the first line is somebody's "
    "record, add such a line first: nobody looks into the file to find out.",
    "person": "The column by which one person's rows can be told from another's: a number, a pseudonym. What is "
    "protected is a person, with all their rows. Where there is no such column, and every row is somebody else, write "
    "each row.",
    "rows": "Visits, prescriptions, pay slips: a person may have many rows. They are made one record: how many rows, "
    "a sum within limits, whether any row says something, the largest value. What an attacker believes is then about "
    "that record.",
    "row_columns": "The columns that differ from row to row of one person, and that you need: cost: 0 to 900; fever: "
    "no, yes; day: 2024-01-01 to 2024-12-31.",
    "per_person": "One line each: visits: number of rows, 0 to 10; feverish visits: number of rows where fever = yes, "
    "0 to 10; cost: sum of cost, 0 to 5000; ever: any where fever = yes; always: all where fever = yes; worst: largest "
    "of cost; first: first of fever by day. Limits clip what is outside of them, and the report says so.",
    "public": "What a neighbour or a colleague can find out without the data: region, age group, sex, profession. "
    "Figures can be split by them. If in doubt, a column is confidential.",
    "confidential": "All that it may contain at most, from the questionnaire or the definition: no, yes; or 0 to 60; 0 "
    "to 9000 by 100 for a coarser unit (rounded: 0 to 9000 by 100 rounded); bins 0, 18, 65, 120; months 2020-01 to "
    "2024-12. Where values are missing, add: or missing (no, yes or missing).",
    "figures": "One line each: smokers: count where smoker = yes by region; income: mean of income by region; "
    "smoking: percentage of smoker = yes; middle: median of age. A line with a name that was there replaces it; "
    "- smokers takes it out.",
    "beliefs": "What people who do not have the data could think of a person's value: from an official table, an "
    "older publication, somebody else's survey. Probabilities: {yes: 0.1, no: rest}. A table in a file: survey.csv, or "
    "survey.csv by region (columns smoker,count; or the values in the header; or percent and base). If nobody knows: "
    "unknown. Then nothing is assumed, and dalenius check says what the least is that one would have to assume. If "
    "you can say that nobody's value is more than 90 % sure: {none_above: 0.9}. "
    "Records in an order: in the order of day: {no: 0.7, yes: 0.3}, then "
    "{no: {no: 0.8, yes: rest}, yes: {no: 0.5, yes: rest}}. Attackers who lean to other laws: {yes: 0.3, no: rest}, "
    "hedged 0.001.",
    "secret": "If it is known who took part, what their record says is the secret: value. If taking part is a "
    "secret itself (a clinic for one illness): presence.",
    "attacker": "Think of who would gain most, and of who already has records: an employer has those of its staff.",
    "knows": "If the largest employer has 4 % of the people in the table, write 5 %. The answer says up to which "
    "share it holds, so that a careful guess does.",
    "because": "For instance: the largest employer has 4 % of the respondents. Whoever signs the report reads it.",
    "population": "Write everybody if somebody could know who was drawn: it is the careful reading.",
    "design": "A list of all members and a random number for each: simple, or stratified where so many were drawn of "
    "each region. If everybody in the list was taken with a probability of their own: Bernoulli, or Poisson where it "
    "differs.",
    "taking_part": "Whoever took part may have told; then write known. Who else did must stay hidden.",
    "edition": "A register that comes out every month: some joined since, some left. The column says when.",
    "series": "Every month some begin or stop smoking, and nobody knows who: they hide a person from one edition to "
    "the next.",
    "together": "Members of a household often have the same answer, so that one gives the others away. nobody is for "
    "tables in which each row is somebody by themselves.",
    "household": "A column that has the same value for all who belong together, such as the number of the household. "
    "It is not published.",
    "own": "If one of two partners smokes, the other smokes more often, but not for sure. 0.5 says: in half of the "
    "cases at least, a record is drawn from the stated probabilities, whatever the others of the household say.",
    "own_because": "A study of couples, twins or siblings, or an argument why no household answers alike.",
    "published": "Tables, reports, earlier releases: two tables that differ by a few people give these away. What "
    "dalenius released is remembered by its ledger, and need not be named.",
    "sizes": "Round numbers that anybody may know, certainly not too large: 1400 where there are 1437.",
    "epsilon": "0.5: nothing that comes out is more than 1.65 times as likely whatever a person's record says. Smaller "
    "is stricter. An office sets it once.",
    "delta": "With about this probability the promise may fail: 1e-6 for thousands of people, 1e-9 for millions.",
}
