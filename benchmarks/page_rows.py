"""Fills the tables of a large site in bulk, with rows as the use cases leave them.

For each function two implementations and four tests, ten results, five votes and two dependencies;
a user per fifty functions; and one function with as much as a page may have to show.
"""

from __future__ import annotations

from typing import Any

import psycopg

PEOPLE = 2_000
LARGE = 50  # implementations and tests of the largest function
DEPENDENTS = 1_000
COMMENTS = 300
LARGE_NAME = "Crowded"
MISSING = 500  # undefined names

# Reproducible pseudo-random numbers from 0 to 1, a word list with a realistic distribution, and
# phrases of six words.
_CHANCE = """
create function pg_temp.chance(seed text) returns float8 language sql immutable as
$$ select (hashtextextended(seed, 0)::float8 / 18446744073709551616.0) + 0.5 $$;
create temp table word (id int primary key, text text);
insert into word
select place, case when place <= cardinality(known) then known[place] else
    (array['ba','co','du','fe','gi','lo','mu','ne','pi','ra','so','tu'])[1 + place % 12] ||
    (array['l','n','r','s','t','v','x'])[1 + place / 12 % 7] ||
    (array['a','e','i','o','u'])[1 + place / 84 % 5] ||
    (array['b','d','g','k','m','p','t','st','nd'])[1 + place / 420 % 9] end
from generate_series(1, 3000) place, (select array[
    'the','of','a','and','in','to','number','list','text','value','returns','first','last','each',
    'sorted','order','given','integer','digits','sum','product','count','words','longest','path',
    'shortest','between','without','repeated','distance','matrix','graph','tree','date','string',
    'letters','prime','factor','remainder','index','search','merge','split','reverse','common',
    'greatest','least','power','root','base','binary','roman','calendar','weekday','minutes',
    'seconds','points','lines','area','angle','random','sample','median','mean','parse','format',
    'encode','decode','compress','expand','rotate','shift','carry','nearest'
] as known) k;
create function pg_temp.word(seed text) returns text language sql stable as
$$ select text from word where id = 1 + floor(power(pg_temp.chance(seed), 3) * 2999)::int $$;
create temp table phrase as
select id, string_agg(pg_temp.word(id || ' ' || place), ' ') as text
from generate_series(0, 9999) id, generate_series(1, 6) place group by id;
create unique index on phrase (id);
create function pg_temp.phrase(seed text) returns text language sql stable as
$$ select text from phrase where id = floor(pg_temp.chance(seed) * 9999)::int $$;
analyze word;
analyze phrase;
"""

# %(n)s functions; the large one comes last, with the next id.
_ROWS = (
    """insert into auth_user (id, username, password, is_superuser, first_name, last_name, email,
        is_staff, is_active, date_joined)
    select 1000 + i, initcap(pg_temp.word('person' || i)) || i, '!', false, '', '', '', false, true,
        now() - make_interval(hours => 20000 - i) from generate_series(0, %(people)s - 1) i""",
    """insert into functions_function (id, name, name_key, signature, description, kind, language,
        owner_id, created_at, changed_at, last_implementation_number, last_test_number, status,
        blocked_by, untested, judging, elected_id, closure_digest, due_to)
    select i, name, lower(name), '(' || a || ': ' || t || ', ' || b || ': int) -> ' || t,
        initcap(pg_temp.phrase('told' || i)) || '. ' || pg_temp.phrase('more' || i) || ' ' ||
            pg_temp.phrase('most' || i) || '.',
        'function', 'python', 1000 + i %% %(people)s,
        now() - make_interval(mins => 2 * (%(n)s - i)),
        now() - make_interval(mins => (i * 7919) %% %(n)s), 2, 4,
        case when i %% 20 = 7 then 'not_implemented' when i %% 33 = 5 then 'blocked'
            else 'implemented' end,
        case when i %% 20 <> 7 and i %% 33 = 5 then 'Absent' || i %% %(missing)s else '' end,
        i %% 25 = 1, false, case when i %% 20 = 7 then null else 2 * i end, '', ''
    from (select i, initcap(pg_temp.word('verb' || i)) || initcap(pg_temp.word('noun' || i)) || i
            as name, pg_temp.word('first' || i) a, pg_temp.word('second' || i) b,
            (array['int', 'str', 'list[int]', 'float', 'dict[str, int]'])[1 + i %% 5] t
        from generate_series(1, %(n)s) i) f""",
    """insert into functions_function (id, name, name_key, signature, description, kind, language,
        owner_id, created_at, changed_at, last_implementation_number, last_test_number, status,
        blocked_by, untested, judging, elected_id, closure_digest, due_to)
    values (%(n)s + 1, %(name)s, lower(%(name)s), '(values: list[int]) -> list[int]',
        'Sorts **numbers** in rising order, as `sorted` does.', 'function', 'python', 1000, now(),
        now(), %(large)s, %(large)s, 'implemented', '', false, false, 2 * %(n)s + 1, '', '')""",
    """insert into functions_implementation (id, function_id, author_id, number, title, code,
        source_sha256, state, version, score, acceptable_reason, created_at, changed_at,
        published_at, standing, standing_reason, passed, counting, cpu_us)
    select i, f.id, 1000 + (i * 31) %% %(people)s, 1 + (i - 1) %% 2,
        pg_temp.phrase('title' || i),
        '# <<' || coalesce(used.name, 'Absent' || i %% %(missing)s) || E'>>\\ndef ' || f.name ||
        E'(values):\\n    \"\"\"' || pg_temp.phrase('doc' || i) || E'\"\"\"\\n    ' ||
        pg_temp.word('var' || i) || E' = []\\n    for ' || pg_temp.word('item' || i) ||
        E' in values:\\n        ' || pg_temp.word('var' || i) || '.append(' ||
        pg_temp.word('item' || i) || ' * ' || i || E')\\n    return ' || pg_temp.word('var' || i) ||
        E'\\n',
        sha256(('code' || i)::bytea), 'published', 1, 2 + (i <= %(n)s)::int, '', f.created_at,
        f.created_at, f.created_at + make_interval(secs => i %% 2),
        case when i %% 2 = 0 or f.id %% 3 > 0 then 'eligible' else 'failing' end, '',
        case when i %% 2 = 0 or f.id %% 3 > 0 then 4 else 3 end, 4, 900 + i %% 5000
    from generate_series(1, 2 * %(n)s) i
    join functions_function f on f.id = (i + 1) / 2
    left join functions_function used on used.id =
        case when i %% 40 > 0 then 1 + (%(n)s * power(pg_temp.chance('u' || i), 4))::int end""",
    """insert into functions_implementation (id, function_id, author_id, number, title, code,
        source_sha256, state, version, score, acceptable_reason, created_at, changed_at,
        published_at, standing, standing_reason, passed, counting, cpu_us)
    select 2 * %(n)s + i, %(n)s + 1, 1000 + i, i, pg_temp.phrase('large' || i),
        'def ' || %(name)s || E'(values):\\n' || (select string_agg('    ' ||
            pg_temp.word('l' || i || ' ' || line) || ' = sorted(values)[' || line || ':]', E'\\n')
            from generate_series(1, 25) line) || E'\\n    return values\\n',
        sha256(('large' || i)::bytea), 'published', 1, 50 - i, '', now(), now(), now(),
        case when i %% 5 = 0 then 'failing' else 'eligible' end, '',
        case when i %% 5 = 0 then 40 else 50 end, 50, 1000 + i
    from generate_series(1, %(large)s) i""",
    """insert into functions_test (id, function_id, author_id, number, title, code, source_sha256,
        state, version, score, acceptable_reason, created_at, changed_at, published_at,
        compile_error, health, reason, counts)
    select i, f.id, 1000 + (i * 17) %% %(people)s, 1 + (i - 1) %% 4,
        pg_temp.phrase('aim' || i), 'assert ' || f.name || '([' || i || ', ' || i %% 7 ||
        E']) == expected\\nassert ' || pg_temp.word('check' || i) || E'(values)\\n',
        sha256(('test' || i)::bytea), 'published', 1, i %% 4, '', f.created_at, f.created_at,
        f.created_at, '', 'working', '', f.id %% 25 <> 1
    from generate_series(1, 4 * %(n)s) i join functions_function f on f.id = (i + 3) / 4""",
    """insert into functions_test (id, function_id, author_id, number, title, code, source_sha256,
        state, version, score, acceptable_reason, created_at, changed_at, published_at,
        compile_error, health, reason, counts)
    select 4 * %(n)s + i, %(n)s + 1, 1100 + i, i, pg_temp.phrase('aim of' || i),
        (select string_agg('assert ' || %(name)s || '([' || line || ']) == [' || line || ']',
            E'\\n') from generate_series(1, 8) line),
        sha256(('large test' || i)::bytea), 'published', 1, 50 - i, '', now(), now(), now(), '',
        'working', '', true from generate_series(1, %(large)s) i""",
    """insert into functions_dependency (implementation_id, name, name_key, target_id)
    select i.id, coalesce(f.name, marker), lower(coalesce(f.name, marker)), f.id
    from (select id, substring(code from '<<(\\w+)>>') marker from functions_implementation) i
    left join functions_function f on f.name_key = lower(marker) where marker is not null""",
    # A thousand functions also name the large one.
    """insert into functions_dependency (implementation_id, name, name_key, target_id)
    select 2 * i * %(step)s, %(name)s, lower(%(name)s), %(n)s + 1
    from generate_series(1, %(dependents)s) i""",
    """insert into functions_usage (function_id, dependents)
    select f.id, coalesce(used.dependents, 0) from functions_function f left join (
        select d.target_id, count(distinct i.function_id) dependents from functions_dependency d
        join functions_implementation i on i.id = d.implementation_id
        where d.target_id <> i.function_id group by 1) used on used.target_id = f.id""",
    """insert into functions_comment (function_id, implementation_id, author_id, text, score,
        replies, created_at, hidden_reason)
    select %(n)s + 1, case when i %% 3 = 0 then 2 * %(n)s + 1 + i %% %(large)s end, 1000 + i,
        pg_temp.phrase('said' || i) || ', *see* <<' || %(name)s || '>>.', i %% 7, 0, now(), ''
    from generate_series(1, %(comments)s) i""",
    """insert into functions_vote (id, voter_id, implementation_id, value, sequence)
    select i, 1000 + (i / (2 * %(n)s) * 501 + i) %% %(people)s, 1 + (i - 1) %% (2 * %(n)s), 1, 1
    from generate_series(1, 5 * %(n)s) i""",
    """insert into runner_contribution (view, source, sequence, target, value)
    select 'implementation_votes', id, 1, implementation_id, 1 from functions_vote""",
    # Four cells of each implementation, and that of loading it; all cells of the large function.
    """create temp table square as
    select i, case when k < 5 then 4 * ((i + 1) / 2) - 4 + k end as t, (i + 1) / 2 as f,
        case when k = 1 and i %% 2 = 1 and (i + 1) / 2 %% 3 = 0 then 'failed' else 'passed' end v
    from generate_series(1, 2 * %(n)s) i, generate_series(1, 5) k
    union all
    select 2 * %(n)s + i, case when k > 0 then 4 * %(n)s + k end, %(n)s + 1,
        case when i %% 5 = 0 and k %% 5 = 1 then 'failed' else 'passed' end
    from generate_series(1, %(large)s) i, generate_series(0, %(large)s) k""",
    "alter table square add e serial",
    """insert into functions_cell (id, implementation_id, test_id, key, result_key, verdict,
        given_up, message, cpu_us, line)
    select e, i, t, sha256(('program' || e)::bytea), sha256(('program' || e)::bytea), v, false,
        case v when 'failed' then e || ' == ' || e + 1 else '' end, 900 + e %% 3000,
        case v when 'failed' then 2 end from square""",
    """insert into runner_execution (id, key, program, tag, priority, state, token, attempts)
    select e, sha256(('program' || e)::bytea), '{}', '', 0, 3, 1, 1 from square""",
    """insert into runner_result (execution_id, verdict, message, module, trace, cases, log,
        truncated, loaded, cpu_us, wall_us, peak_bytes, attempt)
    select e, v, '', '', '[]', '[]', '[[0.4, "out", "as far as this"]]', false, true,
        900 + e %% 3000, 1200, 9000000, 1 from square""",
    """insert into runner_topic (id, name, epoch, first_seq, head_seq)
    select id, 'function:' || id, 1, 1, 0 from functions_function""",
    """insert into runner_batch (id, topic_id, owner_id, cause, private, recorder, request_key,
        request_digest, state, all_tasks_loaded, last_turn, created_at, finished_at)
    select id, id, owner_id, 'implementation #2 published', false, 'functions.cells', '', '', 1,
        true, 0, created_at, created_at from functions_function""",
    # The last batch of the large function has run one implementation against all its tests.
    """insert into runner_task (batch_id, execution_id, state, executed, finished_at)
    select f, e, 3, true, now() from square where f <= %(n)s or i = 2 * %(n)s + 1 order by e""",
)
_FILLED = (
    *("functions_function", "functions_implementation", "functions_test", "functions_dependency"),
    *("functions_vote", "functions_cell", "functions_usage", "runner_contribution"),
    *("runner_execution", "runner_result", "runner_topic", "runner_batch", "runner_task"),
)
_WITH_OWN_NUMBERS = (
    *("auth_user", "functions_function", "functions_implementation", "functions_test"),
    *("functions_vote", "functions_cell", "runner_execution", "runner_topic", "runner_batch"),
)


def fill(database: psycopg.Connection[Any], functions: int) -> None:
    """Fill the tables, without checks of constraints, then create the indexes."""
    parameters = {
        "n": functions,
        "people": PEOPLE,
        "large": LARGE,
        "dependents": DEPENDENTS,
        "comments": COMMENTS,
        "step": functions // DEPENDENTS,
        "missing": MISSING,
        "name": LARGE_NAME,
    }
    with database.transaction():
        database.execute("set local session_replication_role = replica")
        database.execute("set local maintenance_work_mem = '512MB'")
        database.execute("set local work_mem = '128MB'")
        database.execute(_CHANCE)
        indexes = _take_indexes(database)
        # Client-side binding, as the server would infer smallint, which overflows in products.
        cursor = psycopg.ClientCursor(database)
        for statement in _ROWS:
            cursor.execute(statement, parameters)
        for index in indexes:
            database.execute(index)
    for table in _WITH_OWN_NUMBERS:
        database.execute(
            f"select setval(pg_get_serial_sequence('{table}', 'id'), max(id)) from {table}"  # noqa: S608
        )
    database.execute("vacuum analyze")


def _take_indexes(database: psycopg.Connection[Any]) -> list[str]:
    """Drop the indexes that no constraint needs; return their definitions."""
    found = database.execute(
        """select indexname, indexdef from pg_indexes
        where tablename = any(%s) and schemaname = 'public' and not exists (
            select from pg_constraint where conname = indexname)""",
        [list(_FILLED)],
    ).fetchall()
    for name, _ in found:
        database.execute(f'drop index "{name}"')
    return [definition for _, definition in found]
