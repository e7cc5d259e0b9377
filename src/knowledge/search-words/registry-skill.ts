import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { clip } from '../text/plain-text.ts'
import { toTitle } from './title.ts'
import { deriveNegativeTriggers, deriveTriggers } from './trigger-phrases.ts'

/** Words that say how a skill was made, not what it does. */
const ORIGIN = /-(?:replay|orchestrated)$|\b(?:replay baseline skill for|agent-driven|proving-case skeleton for)\b/gi

/** What a skill is found by. */
export interface LookupWords {
  readonly title: string
  readonly trigger_phrases: string[]
  readonly negative_triggers: string[]
}

type NamedSkill = Pick<SkillEntry, 'id' | 'summary' | 'keywords'>

/**
 * What the skills of a registry are found by, in their order. A short phrase that several skills share, such as the name
 * of their app, selects none of them and is left out; the longer phrases still contain it.
 */
export function describeSkillsForLookup(entries: readonly NamedSkill[]): LookupWords[] {
  const described = entries.map(describeSkill)
  const counts = new Map<string, number>()
  for (const phrase of described.flatMap(({ trigger_phrases }) => trigger_phrases)) {
    counts.set(phrase, (counts.get(phrase) ?? 0) + 1)
  }
  return described.map(({ trigger_phrases, ...words }) => {
    const own = trigger_phrases.filter((phrase, at) => at === 0 || counts.get(phrase) === 1)
    return { ...words, trigger_phrases: own }
  })
}

function describeSkill({ id, summary, keywords }: NamedSkill): LookupWords {
  const name = (id.split('.').at(-1) ?? id).replace(ORIGIN, '')
  const description = summary.replaceAll(ORIGIN, '').trim()
  const words = { name, description, keywords }
  return {
    title: clip(`${toTitle(name)}: ${description}`, 200),
    trigger_phrases: deriveTriggers(words),
    negative_triggers: deriveNegativeTriggers(words),
  }
}
