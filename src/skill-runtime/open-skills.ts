import { resolveBlockedTermsFile, type Config, resolveSkillRoots } from '../config/config.ts'
import { DAEMON_ACTOR, writeAs } from '../domain/command/context.ts'
import { recordEvent } from '../domain/command/ledger.ts'
import { readBlockedTerms } from '../knowledge/recipes/check/literal-detectors.ts'
import { TermsFile } from '../files/blocked-terms.ts'
import type { RunnerDeps } from '../jobs/runner.ts'
import { SkillLibrary } from './skill-library.ts'

export interface Skills {
  readonly skills: SkillLibrary
  /** Terms that no skill or recipe on this machine may contain. */
  readonly blockedTerms: () => Promise<string[]>
}

/** Opens the skills on disk. A change of a registry file is recorded as an event. */
export function openSkills(config: Config, deps: RunnerDeps): Skills {
  const { clock, newId, log } = deps
  const terms = new TermsFile(resolveBlockedTermsFile(config))
  const onChanged = (roots: readonly string[]): void => {
    writeAs(deps, { actor: DAEMON_ACTOR, correlation_id: newId() }, (ctx) => {
      for (const root of roots) recordEvent(ctx, 'skills', 'skill.registry.changed', { root })
    }).catch((error: unknown) => log.error({ err: error }, 'a changed skill registry could not be recorded'))
  }
  return {
    skills: new SkillLibrary(resolveSkillRoots(config), { clock, onChanged }),
    blockedTerms: async () => readBlockedTerms(await terms.text()),
  }
}
