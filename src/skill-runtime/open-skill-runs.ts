import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Config, buildProgramEnvironment, resolveSkillRoots } from '../config/config.ts'
import type { SkillRunPort } from '../jobs/ports.ts'
import { SkillReader } from '../files/skill-reader.ts'
import type { DeviceReader } from '../device-runtime/devices/device-reader.ts'
import type { SkillLibrary } from './skill-library.ts'
import { type IssueToken, SkillRunProgram } from './skill-run-program.ts'

export interface SkillRunsDeps {
  readonly deviceReader: DeviceReader
  readonly skills: SkillLibrary
  /** The program through which scripts call the daemon. */
  readonly shim: string
  readonly issueToken: IssueToken
}

/** Opens the runner of skill scripts. `listening` gives it the address under which scripts reach the daemon. */
export function openSkillRuns(config: Config, { deviceReader, skills, shim, issueToken }: SkillRunsDeps) {
  const { host, settings } = config
  let url: string | undefined
  const skillRuns = new SkillRunProgram({
    config,
    deviceReader,
    findSkill: createSkillFinder(config, skills),
    url: () => url,
    shim,
    environment: buildProgramEnvironment(settings.skills.environment),
    issueToken: issueToken,
  })
  const listening = (address: AddressInfo | string | null): void => {
    if (address === null || typeof address === 'string') return
    const own = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
    url = `http://${own.includes(':') ? `[${own}]` : own}:${address.port}`
  }
  return { skillRuns, listening }
}

/** Validates a skill of a registry before it runs. A skill folder that no registry lists runs unchecked. */
function createSkillFinder(config: Config, library: SkillLibrary): SkillRunPort['findSkill'] {
  const reader = new SkillReader(resolveSkillRoots(config).map((root) => join(root, 'skills')))
  return async (skillId) => {
    const found = await reader.find(skillId)
    const placed = found && (await library.catalog()).find(skillId)
    if (found === undefined || placed === undefined) return found
    const verdict = await library.validate(placed, { dryRun: false })
    if (verdict.valid) return found
    const { message, details } = verdict
    return { ...found, problem: { message, details: { ...details } } }
  }
}
