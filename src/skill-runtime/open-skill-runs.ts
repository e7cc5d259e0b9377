import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Config, programEnvironment, skillRoots } from '../config/config.ts'
import type { SkillSource } from '../knowledge/skill-script/skill-source.ts'
import { SkillReader } from '../files/skill-reader.ts'
import type { DeviceReader } from '../device-runtime/devices/device-reader.ts'
import type { SkillLibrary } from './skill-library.ts'
import { SkillRunProgram } from './skill-run-program.ts'

export interface SkillRunsDeps {
  readonly eyes: DeviceReader
  readonly skills: SkillLibrary
  /** The program scripts ask the daemon with. */
  readonly shim: string
  readonly lend: ConstructorParameters<typeof SkillRunProgram>[0]['lend']
}

/** The scripts of the skills on disk, and how they find their way back to the daemon. */
export function openSkillRuns(config: Config, { eyes, skills, shim, lend }: SkillRunsDeps) {
  const { host, settings } = config
  let url: string | undefined
  const skillRuns = new SkillRunProgram({
    config,
    eyes,
    source: judged(config, skills),
    url: () => url,
    shim,
    environment: programEnvironment(settings.skills.environment),
    lend,
  })
  const listening = (address: AddressInfo | string | null): void => {
    if (address === null || typeof address === 'string') return
    const own = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
    url = `http://${own.includes(':') ? `[${own}]` : own}:${address.port}`
  }
  return { skillRuns, listening }
}

/** A skill of a registry is judged before it is run; a folder that no registry lists is run as it is. */
function judged(config: Config, library: SkillLibrary): SkillSource {
  const reader = new SkillReader(skillRoots(config).map((root) => join(root, 'skills')))
  return {
    find: async (skillId) => {
      const found = await reader.find(skillId)
      const placed = found && (await library.catalog()).listed(skillId)
      if (found === undefined || placed === undefined) return found
      const verdict = await library.validate(placed, { dryRun: false })
      if (verdict.valid) return found
      const { message, details } = verdict
      return { ...found, problem: { message, details: { ...details } } }
    },
  }
}
