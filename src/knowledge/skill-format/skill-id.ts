import { MAX_SKILL_ID } from '@apprentice/contracts/skills/skill.ts'
import { Failure } from '../../failure/failure.ts'

export interface SkillName {
  readonly id: string
  readonly applicationId: string
  readonly intent: string
}

const NO_DOT = 'skill_id must contain at least one dot so applicationId and intent can be derived'

/** What a new skill may be called; its id becomes the name of a folder, and of the sender of its commands. */
export function readSkillId(text: string): SkillName {
  const id = text.trim()
  const at = id.lastIndexOf('.')
  if (at < 1 || at === id.length - 1) throw invalid(id, NO_DOT)
  if (!/^[a-zA-Z0-9._-]+$/.test(id)) {
    throw invalid(id, 'skill_id may hold letters, digits, dots, underscores and hyphens only')
  }
  if (id.length > MAX_SKILL_ID) {
    throw invalid(id, `skill_id may have ${MAX_SKILL_ID} characters at most`)
  }
  if (id.includes('..') || id.startsWith('.')) {
    throw invalid(id, 'skill_id may not begin with a dot or hold two in a row')
  }
  const applicationId = id.slice(0, at)
  const intent = id.slice(at + 1)
  if (!/^[a-zA-Z0-9._]+$/.test(applicationId)) {
    throw invalid(id, 'The part before the last dot is an application id: no hyphens')
  }
  if (!/^[a-z0-9-]+$/.test(intent)) {
    throw invalid(id, 'The part after the last dot is an intent: small letters, digits, hyphens')
  }
  return { id, applicationId, intent }
}

const invalid = (skillId: string, message: string): Failure =>
  new Failure('SKILL_ID_INVALID', message, { details: { skillId: skillId.slice(0, 200) } })
