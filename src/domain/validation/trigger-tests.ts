import { z } from 'zod'
import { readDraftJson } from '../proposals/files.ts'
import {
  matchTrigger,
  readAbility,
  type Readable,
  readQuery,
  scoreAbility,
  threshold,
} from '../../knowledge/lookup/scorer.ts'
import type { DraftUnderTest } from './draft-under-test.ts'
import type { TestResult } from '../proposals/validation-run-record.ts'

const Sayings = z.object({
  positive: z.array(z.string()),
  negative: z.array(z.string()),
  paraphrase: z.array(z.string()),
})

const enough = 3
/** From here on an agent is sent to an ability. */
const routed = 0.3

const groups = [
  ['positive', 'pos', 'Finds it'],
  ['negative', 'neg', 'Does not find it'],
  ['paraphrase', 'para', 'Finds it in other words'],
] as const

/** Would the skill be found by what people say, and left alone by what they say of other things? */
export function triggerTests(draft: DraftUnderTest): TestResult[] {
  const read = Sayings.safeParse(readDraftJson(draft.files, 'trigger-tests.json'))
  const sayings = read.data ?? { positive: [], negative: [], paraphrase: [] }
  const entry = entryOf(draft)
  return groups.flatMap(([group, prefix, label]) => [
    ...(sayings[group].length < enough
      ? [
          {
            test_case_id: `trigger:${prefix}:count`,
            label: `At least ${enough} ${group} sayings`,
            result: 'failed' as const,
            details: `There are ${sayings[group].length}.`,
          },
        ]
      : []),
    ...sayings[group].map((saying, at) => ({
      test_case_id: `trigger:${prefix}:${at + 1}`,
      label: `${label}: ${saying}`,
      ...judge(saying, entry, { wanted: group !== 'negative', project: draft.session?.project_id }),
    })),
  ])
}

function judge(
  saying: string,
  entry: Readable,
  { wanted, project }: { wanted: boolean; project: string | undefined },
): Pick<TestResult, 'result' | 'details'> {
  const query = readQuery(saying)
  const { score } = scoreAbility(query, entry, project)
  const byTrigger = matchTrigger(query, entry) !== undefined
  const passed = wanted ? score >= threshold && byTrigger : score < routed
  return {
    result: passed ? 'passed' : 'failed',
    details: `score ${score}${byTrigger ? ', by a trigger' : ''}`,
  }
}

/** The ability the draft would become, as it is right after a private install. */
function entryOf({ proposal, meaning, session }: DraftUnderTest): Readable {
  const scope = meaning?.project_scope ?? 'global'
  const project = session?.project_id
  return readAbility({
    title: proposal.title,
    trigger_phrases: proposal.trigger_phrases,
    negative_triggers: proposal.negative_triggers,
    project_scopes: scope === 'global' || project === undefined ? [] : [project],
    install_lane: 'experimental_private',
    checkpoint_health: 'no_data',
    usable_now: true,
  })
}
