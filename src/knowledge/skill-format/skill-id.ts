import { MAX_SKILL_ID } from '@apprentice/contracts/skills/skill.ts'
import { Failure } from '../../failure/failure.ts'

export interface SkillName {
  readonly id: string
  readonly applicationId: string
  readonly intent: string
}

const NO_DOT = 'skill_id must contain at least one dot so applicationId and intent can be derived'

/** Validates the id of a new skill. The id becomes a folder name and the source of its commands. */
export function parseSkillId(text: string): SkillName {
  const id = text.trim()
  const at = id.lastIndexOf('.')
  if (at < 1 || at === id.length - 1) throw skillIdInvalid(id, NO_DOT)
  if (!/^[a-zA-Z0-9._-]+$/.test(id)) {
    throw skillIdInvalid(id, 'skill_id may contain only letters, digits, dots, underscores and hyphens')
  }
  if (id.length > MAX_SKILL_ID) {
    throw skillIdInvalid(id, `skill_id may have at most ${MAX_SKILL_ID} characters`)
  }
  if (id.includes('..') || id.startsWith('.')) {
    throw skillIdInvalid(id, 'skill_id must not start with a dot or contain two dots in a row')
  }
  const applicationId = id.slice(0, at)
  const intent = id.slice(at + 1)
  if (!/^[a-zA-Z0-9._]+$/.test(applicationId)) {
    throw skillIdInvalid(id, 'The part before the last dot is the applicationId; it must not contain hyphens')
  }
  if (!/^[a-z0-9-]+$/.test(intent)) {
    throw skillIdInvalid(
      id,
      'The part after the last dot is the intent; it may contain lowercase letters, digits and hyphens',
    )
  }
  return { id, applicationId, intent }
}

const skillIdInvalid = (skillId: string, message: string): Failure =>
  new Failure('SKILL_ID_INVALID', message, { details: { skillId: skillId.slice(0, 200) } })
