"""The SQL that applies contributions to a view.

Everything is set-based, so that a batch of changes costs a few statements, however many groups it
concerns. The caller holds the view's lock, so nobody else changes its rows.
"""

_TAKEN = """
    delete from functions_documentviewchange where id in (
        select id from functions_documentviewchange where view_id = %(view)s
        order by id limit %(most)s)
    returning id, side, record, key, group_key, fields
"""
_PASSED = """
    select 0 as id, side, record, key, group_key, fields from jsonb_to_recordset(%(rows)s)
    as rows (side smallint, record text, key text, group_key text, fields jsonb)
"""
# A contribution is a state, not a difference: the last one of a record counts, and the former one
# is taken out. So it doesn't matter how often one arrives, or how many are skipped.
_STATES = """
    with arrived as materialized ({arrived}), latest as (
        select distinct on (side, record) side, record, key, group_key, fields
        from arrived order by side, record, id desc
    ), removed as (
        delete from functions_documentviewentry e using latest n
        where e.view_id = %(view)s and (e.side, e.record) = (n.side, n.record) and n.fields is null
        returning e.side, e.record, e.key, e.group_key, e.fields
    ), written as (
        insert into functions_documentviewentry as e
            (view_id, side, record, key, group_key, fields)
        select %(view)s, side, record, key, group_key, fields from latest where fields is not null
        on conflict (view_id, side, record) do update
            set key = excluded.key, group_key = excluded.group_key, fields = excluded.fields
            where (e.key, e.group_key, e.fields)
                is distinct from (excluded.key, excluded.group_key, excluded.fields)
        returning new.side, new.record, new.key, new.group_key, new.fields,
            old.key as former_key, old.group_key as former_group, old.fields as former_fields
    ), states as (
        select -1 as sign, side, record, key, group_key, fields from removed
        union all select -1, side, record, former_key, former_group, former_fields
            from written where former_fields is not null
        union all select 1, side, record, key, group_key, fields from written
    )
"""
_ROWS = """, rows as (
        select sign, group_key, record, '' as joined_record, fields from states
    )
"""
# Each pair of records that is or was joined and of which at least one has changed. Statements see
# the entries as they were before, so those of changed records are the former ones.
_JOINED_ROWS = """, pairs as (
        select l.sign, l as one, r as other from states l
        join states r on (r.sign, r.key) = (l.sign, l.key) and r.side = 1 where l.side = 0
        union all
        select s.sign, case s.side when 0 then s else u end, case s.side when 0 then u else s end
        from states s cross join lateral (
            select s.sign, e.side, e.record, e.key, e.group_key, e.fields
            from functions_documentviewentry e
            where e.view_id = %(view)s and e.side = 1 - s.side and e.key = s.key
        ) u where not exists (
            select from states t where (t.side, t.record) = (u.side, u.record))
    ), rows as (
        select sign, coalesce((one).group_key, (other).group_key) as group_key,
            (one).record as record, (other).record as joined_record,
            (one).fields || (other).fields as fields
        from pairs
    )
"""
_EFFECTS = """, ranked as (
        select group_key, p.position,
            case jsonb_typeof(v.value) when 'number' then v.value::numeric else 'Infinity' end
                as number,
            case jsonb_typeof(v.value) when 'string' then v.value #>> '{{}}' else '' end as text,
            record, joined_record, sum(sign) as sign
        from rows cross join unnest(%(ranked)s::int[]) as p (position)
        cross join lateral (select fields -> p.position as value) v
        where jsonb_typeof(v.value) in ('number', 'string')
        group by 1, 2, 3, 4, 5, 6 having sum(sign) <> 0
    ), unranked as (
        delete from functions_documentviewrank k using ranked r
        where r.sign < 0 and k.view_id = %(view)s
            and (k.position, k.group_key, k.number, k.text, k.record, k.joined_record)
              = (r.position, r.group_key, r.number, r.text, r.record, r.joined_record)
    ), newly_ranked as (
        insert into functions_documentviewrank
            (view_id, position, group_key, number, text, record, joined_record)
        select %(view)s, position, group_key, number, text, record, joined_record
        from ranked where sign > 0
    ), sums as (
        select group_key, s.name, sum(sign * (fields -> s.position)::numeric) as amount
        from rows cross join jsonb_to_recordset(%(sums)s) as s (name text, position int)
        where jsonb_typeof(fields -> s.position) = 'number' group by 1, 2
    ), changed as (
        insert into functions_documentviewgroup as g (view_id, key, count, sums, result)
        select %(view)s, group_key, sum(sign), coalesce((
            select jsonb_object_agg(name, trim_scale(amount)) from sums
            where sums.group_key = rows.group_key), '{{}}'), '{{}}'
        from rows group by group_key
        on conflict (view_id, key) do update set count = g.count + excluded.count, sums = coalesce((
            select jsonb_object_agg(s.name, trim_scale(
                coalesce((g.sums -> s.name)::numeric, 0)
                + coalesce((excluded.sums -> s.name)::numeric, 0)))
            from jsonb_to_recordset(%(sums)s) as s (name text)), '{{}}')
        returning key
    )
    select (select count(*) from arrived), array(select key from changed)
"""
TAKE = {
    is_join: (_STATES + (_JOINED_ROWS if is_join else _ROWS) + _EFFECTS).format(arrived=_TAKEN)
    for is_join in (False, True)
}
"""Take arrived changes and apply them; by whether the view joins sources."""

PASS = {
    is_join: (_STATES + (_JOINED_ROWS if is_join else _ROWS) + _EFFECTS).format(arrived=_PASSED)
    for is_join in (False, True)
}
"""Apply contributions that are passed."""

# The first and last ones are read from the index of ranks.
REFRESH = """
    with removed as (
        delete from functions_documentviewgroup
        where view_id = %(view)s and key = any(%(keys)s) and count = 0
    )
    update functions_documentviewgroup g set result =
        coalesce((
            select jsonb_object_agg(name, g.count) from unnest(%(counts)s::text[]) name), '{}')
        || coalesce((
            select jsonb_object_agg(s.name, coalesce(g.sums -> s.name, '0'))
            from jsonb_to_recordset(%(sums)s) as s (name text)), '{}')
        || coalesce((
            select jsonb_object_agg(v.name, case v.kind
                when 'top' then coalesce(r.shown, '[]')
                when 'latest' then r.shown -> 0
                else r.shown -> 0 -> 'value' end)
            from jsonb_to_recordset(%(values)s) as v (
                name text, kind text, position int, most int, show_side int, show int)
            cross join lateral (
                select jsonb_agg(
                    jsonb_build_object(
                        'id', case when %(is_join)s
                            then jsonb_build_array(k.record, k.joined_record)
                            else to_jsonb(k.record) end,
                        'value', case k.number when 'Infinity' then to_jsonb(k.text)
                            else to_jsonb(k.number) end
                    ) || case when v.show is null then '{}' else jsonb_build_object('show', (
                        select e.fields -> v.show from functions_documentviewentry e
                        where e.view_id = g.view_id and e.side = v.show_side
                            and e.record = case v.show_side when 0 then k.record
                                else k.joined_record end)) end
                    order by k.number desc, k.text desc, k.record desc, k.joined_record desc
                ) as shown
                from (
                    (select * from functions_documentviewrank a
                     where a.view_id = g.view_id and a.position = v.position
                        and a.group_key = g.key and v.kind = 'min'
                     order by number, text, record, joined_record limit 1)
                    union all
                    (select * from functions_documentviewrank d
                     where d.view_id = g.view_id and d.position = v.position
                        and d.group_key = g.key and v.kind <> 'min'
                     order by number desc, text desc, record desc, joined_record desc limit v.most)
                ) k
            ) r), '{}')
    where g.view_id = %(view)s and g.key = any(%(keys)s) and g.count > 0
"""
