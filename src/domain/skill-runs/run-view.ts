import type { SkillRun } from '@apprentice/contracts/skills/runs.ts'
import type { Reader } from '../../store/db/db.ts'
import { listSkillRunCalls, type SkillRunRow } from '../../store/skill-runs/skill-runs.ts'

export function publicSkillRun(reader: Reader, row: SkillRunRow): SkillRun {
  const { owner_user_id: _o, operator_package: _p, lease_id: _l, ...fields } = row
  return { ...fields, execution_ids: listSkillRunCalls(reader, row.run_id), schema_version: 1 }
}
