from django.db import migrations, models

# What was counted so far; the scores are the sums of these already.
COUNTED = """
insert into runner_contribution (view, source, sequence, target, value)
select coalesce(case when implementation_id is not null then 'implementation_votes' end,
                'test_votes'),
       id, sequence, coalesce(implementation_id, test_id), value
from functions_vote
"""
NOT_COUNTED = "delete from runner_contribution where view in ('implementation_votes', 'test_votes')"

# A vote that is deleted, with its voter say, is one that says 0 from then on.
DELETED = """
create function functions_vote_deleted() returns trigger language plpgsql as $$
begin
    insert into runner_arrival (view, target, source, sequence, value, difference)
    values (case when old.implementation_id is null then 'test_votes'
                 else 'implementation_votes' end,
            coalesce(old.implementation_id, old.test_id), old.id, old.sequence + 1, 0, -old.value);
    return null;
end $$;
create trigger functions_vote_deleted after delete on functions_vote
    for each row execute function functions_vote_deleted();
"""
NOT_DELETED = """
drop trigger functions_vote_deleted on functions_vote;
drop function functions_vote_deleted();
"""
# Votes are changed in place: room on their page keeps that from touching the indexes.
ROOM = "alter table functions_vote set (fillfactor = 80)"
NO_ROOM = "alter table functions_vote reset (fillfactor)"


class Migration(migrations.Migration):
    dependencies = [("functions", "0001_initial"), ("runner", "0005_pipelines")]

    operations = [
        migrations.AddField(
            model_name="vote",
            name="sequence",
            field=models.BigIntegerField(db_default=1, default=1),
        ),
        migrations.RunSQL(COUNTED, NOT_COUNTED),
        migrations.RunSQL(DELETED, NOT_DELETED),
        migrations.RunSQL(ROOM, NO_ROOM),
    ]
