import { blockedTermsFile, type Config, skillRoots } from '../config/config.ts'
import { recordEvent } from '../domain/command/ledger.ts'
import { readBlockedTerms } from '../knowledge/recipes/check/literal-detectors.ts'
import { TermsFile } from '../files/blocked-terms.ts'
import type { RunnerDeps } from '../jobs/runner.ts'
import { SkillLibrary } from './skill-library.ts'

export interface Skills {
  readonly skills: SkillLibrary
  /** The words that must not be in a skill or a recipe on this machine. */
  readonly blockedTerms: () => Promise<string[]>
}

/** The skills on disk; that a registry changed becomes an event. */
export function openSkills(config: Config, edges: RunnerDeps): Skills {
  const { store, clock, newId, log } = edges
  const terms = new TermsFile(blockedTermsFile(config))
  const changed = (roots: readonly string[]): void => {
    const actor = { kind: 'system', user_id: 'system' } as const
    store
      .write((tx) => {
        const ctx = { tx, now: clock().toISOString(), actor, correlation_id: newId(), newId }
        for (const root of roots) recordEvent(ctx, 'skills', 'skill.registry.changed', { root })
      })
      .catch((error: unknown) => log.error({ err: error }, 'a changed registry was not noted'))
  }
  return {
    skills: new SkillLibrary(skillRoots(config), { clock, changed }),
    blockedTerms: async () => readBlockedTerms(await terms.text()),
  }
}
