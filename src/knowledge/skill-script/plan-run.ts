import { isAbsolute, join, normalize, sep } from 'node:path'
import { Failure } from '../../failure/failure.ts'
import { ManifestProblem, readManifest, type SkillAgent, type SkillManifest } from './manifest.ts'
import type { FoundSkill } from './skill-source.ts'

/** What will be started, as far as the files of the skill tell. */
export interface SkillPlan {
  readonly skill_id: string
  readonly kind: 'script' | 'agent'
  readonly folder: string
  readonly script: string
  /** SKILL.md, which is the program of an agent. */
  readonly program: string
  readonly registry_path?: string | undefined
  readonly manifest: SkillManifest
}

/** Refuses a skill that cannot be run. Whether its files are there is for the hands to see. */
export function planRun(skill: FoundSkill, { lenient }: { readonly lenient: boolean }): SkillPlan {
  const { skill_id, folder, problem } = skill
  if (problem !== undefined && !lenient) throw invalid(skill_id, problem.message, problem.details)
  const manifest = manifestOf(skill)
  const { agent } = manifest
  return {
    skill_id,
    kind: agent === undefined ? 'script' : 'agent',
    folder,
    script: scriptOf(skill, agent),
    program: join(folder, 'SKILL.md'),
    registry_path: skill.registry_path,
    manifest,
  }
}

const defaultTimeoutMs = 120_000

export const timeoutOf = (asked: number | undefined, agent: SkillAgent | undefined): number =>
  asked ?? agent?.timeoutMs ?? defaultTimeoutMs

function manifestOf({ skill_id, document }: FoundSkill): SkillManifest {
  try {
    return readManifest(document)
  } catch (error) {
    if (!(error instanceof ManifestProblem)) throw error
    throw invalid(skill_id, error.message, { reason: error.message })
  }
}

/** The list decides, not the folder: the first .js, else the first .sh, else the first entry. */
function scriptOf(skill: FoundSkill, agent: SkillAgent | undefined): string {
  const { skill_id, document } = skill
  const listed: unknown = (document as { scripts?: unknown }).scripts
  const scripts = Array.isArray(listed) ? listed.filter((one) => typeof one === 'string') : []
  if (agent !== undefined) {
    const harness = scripts.find((path) => slashes(path).endsWith('/scripts/run.js'))
    if (harness !== undefined) return inside(skill, harness)
    throw invalid(skill_id, 'an agent skill must list scripts/run.js', { reason: 'scripts/run.js' })
  }
  const chosen =
    scripts.find((path) => path.endsWith('.js')) ??
    scripts.find((path) => path.endsWith('.sh')) ??
    scripts[0]
  if (chosen !== undefined) return inside(skill, chosen)
  throw new Failure('SKILL_SCRIPT_NOT_FOUND', `${skill_id} lists no script.`)
}

/** A path of the registry, absolute; never one that leads out of the skill's own folder. */
function inside({ skill_id, root, folder }: FoundSkill, listed: string): string {
  const path = slashes(listed)
  const full = normalize(join(root, path))
  if (isAbsolute(path) || path.split('/').includes('..') || !full.startsWith(`${folder}${sep}`)) {
    throw invalid(skill_id, `${listed} is not a path inside the skill`, { path: listed })
  }
  return full
}

const slashes = (path: string): string => path.replaceAll('\\', '/')

export const invalid = (
  skillId: string,
  reason: string,
  details: Record<string, unknown>,
): Failure =>
  new Failure('SKILL_VALIDATION_FAILED', `Skill ${skillId} cannot be run: ${reason}.`, {
    details: { skill_id: skillId, ...details },
  })
