import { z } from 'zod'
import { listAbilities } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { isVisible } from '../abilities/visibility.ts'
import { readDraftJson } from '../proposals/content/files.ts'
import {
  matchTrigger,
  readAbilityTexts,
  type AbilityTexts,
  readQuery,
  scoreAbility,
  MIN_SCORE,
} from '../../knowledge/lookup/scorer.ts'
import type { DraftUnderTest } from './draft-under-test.ts'
import type { TestResult } from '../proposals/validation-run-record.ts'

const TriggerCases = z.object({
  positive: z.array(z.string()),
  negative: z.array(z.string()),
  paraphrase: z.array(z.string()),
})

const MIN_CASES = 3
/** Agents are routed to an ability from this score on. */
const ROUTING_SCORE = 0.3

const CASE_GROUPS = [
  ['positive', 'pos', 'Finds the skill'],
  ['negative', 'neg', 'Does not find the skill'],
  ['paraphrase', 'para', 'Finds the skill by a paraphrase'],
] as const

/** Tests whether the lookup finds the skill for its own phrases and not for others. */
export function triggerTests(reader: Reader, draft: DraftUnderTest): TestResult[] {
  const parsed = TriggerCases.safeParse(readDraftJson(draft.files, 'trigger-tests.json'))
  const cases = parsed.data ?? { positive: [], negative: [], paraphrase: [] }
  const entry = buildEntry(draft)
  const own = CASE_GROUPS.flatMap(([group, prefix, label]) => [
    ...(cases[group].length < MIN_CASES
      ? [
          {
            test_case_id: `trigger:${prefix}:count`,
            label: `At least ${MIN_CASES} ${group} phrases`,
            result: 'failed' as const,
            details: `There are ${cases[group].length}.`,
          },
        ]
      : []),
    ...cases[group].map((phrase, at) => ({
      test_case_id: `trigger:${prefix}:${at + 1}`,
      label: `${label}: ${phrase}`,
      ...judge(phrase, entry, {
        isMatch: group !== 'negative',
        project: draft.session?.project_id,
      }),
    })),
  ])
  return [...own, ...nearMissTests(reader, draft, entry)]
}

/** How many requests of other abilities are tested. */
const MAX_NEAR_MISSES = 5

/**
 * The requests of the user's other abilities that the draft matches best. Each must still find its own ability first,
 * unless the draft's title alone matches it as well: skills may be alike, but no phrase may take requests of another.
 * They are read when the draft is tested: a skill's files must not name other abilities of a user.
 */
function nearMissTests(reader: Reader, draft: DraftUnderTest, entry: AbilityTexts): TestResult[] {
  const { proposal, session } = draft
  const own = new Set([proposal.ability_id, session?.target_skill_id, `learned.${proposal.proposed_skill_slug}`])
  const project = session?.project_id
  const titled = readAbilityTexts({ ...entry.ability, trigger_phrases: [entry.ability.title] })
  return listAbilities(reader)
    .filter((ability) => !own.has(ability.ability_id) && ability.enabled && ability.install_lane !== 'quarantined')
    .filter((ability) => isVisible(ability, proposal.owner_user_id))
    .flatMap(({ ability_id, title, trigger_phrases, negative_triggers }) => {
      // The first phrase of an ability always matches it fully.
      const [phrase] = trigger_phrases
      if (phrase === undefined || phrase.trim() === '') return []
      const query = readQuery(phrase)
      const theirs = readAbilityTexts({ ...entry.ability, title, trigger_phrases, negative_triggers })
      const found = scoreAbility(query, theirs, project).score
      if (found < ROUTING_SCORE) return []
      const [score, byTitle] = [entry, titled].map((texts) => scoreAbility(query, texts, project).score)
      return [{ ability_id, title, phrase, score: score ?? 0, byTitle, theirs: found }]
    })
    .toSorted((a, b) => b.score - a.score || (a.ability_id < b.ability_id ? -1 : 1))
    .slice(0, MAX_NEAR_MISSES)
    .map(({ ability_id, title, phrase, score, byTitle, theirs }, at) => ({
      test_case_id: `trigger:near:${at + 1}`,
      label: `Leaves the request "${phrase}" to ${title}`,
      result: score < ROUTING_SCORE || score < theirs || score === byTitle ? ('passed' as const) : ('failed' as const),
      details: `score ${score}, ${ability_id} has ${theirs}`,
    }))
}

function judge(
  phrase: string,
  entry: AbilityTexts,
  { isMatch, project }: { isMatch: boolean; project: string | undefined },
): Pick<TestResult, 'result' | 'details'> {
  const query = readQuery(phrase)
  const { score } = scoreAbility(query, entry, project)
  const byTrigger = matchTrigger(query, entry) !== undefined
  const passed = isMatch ? score >= MIN_SCORE && byTrigger : score < ROUTING_SCORE
  return {
    result: passed ? 'passed' : 'failed',
    details: `score ${score}${byTrigger ? ', by a trigger' : ''}`,
  }
}

/** The lookup entry of the draft right after a private installation. */
function buildEntry({ proposal, meaning, session }: DraftUnderTest): AbilityTexts {
  const scope = meaning?.project_scope ?? 'global'
  const project = session?.project_id
  return readAbilityTexts({
    title: proposal.title,
    trigger_phrases: proposal.trigger_phrases,
    negative_triggers: proposal.negative_triggers,
    project_scopes: scope === 'global' || project === undefined ? [] : [project],
    install_lane: 'experimental_private',
    checkpoint_health: 'no_data',
    usable_now: true,
  })
}
