import { z } from 'zod'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'

const words = z.array(z.string()).catch([])

/** What a draft says to whoever reviews it. */
const Review = z.object({
  steps: z.array(z.object({ description: z.string(), optional: z.boolean().optional() })).catch([]),
  pruned: z
    .array(z.object({ event_ids: z.array(z.string()), reason: z.string(), summary: z.string() }))
    .catch([]),
  inputs: z
    .array(
      z.object({
        name: z.string(),
        type: z.string(),
        summary: z.string().catch(''),
        choices: z.array(z.string()).optional(),
      }),
    )
    .catch([]),
  verification: z.array(z.object({ words: z.string() })).catch([]),
  conditions: words,
  doubts: z.array(z.object({ reason: z.string() })).catch([]),
  notes: words,
  repeatable: z.boolean().catch(false),
})
type Review = z.infer<typeof Review>

export const reviewIn = ({ review }: Pick<ProposalDetail, 'review'>): Review =>
  Review.parse(review ?? {})

/** Everything a person needs to decide. */
export function reviewWords(detail: ProposalDetail): string {
  const { proposal, interpretation, collisions, improves } = detail
  const review = reviewIn(detail)
  const success = interpretation?.success_conditions ?? []
  const proofs = review.verification.map((proof) => proof.words)
  return [
    proposal.title,
    ...summaryLines(detail),
    ...section('Found by saying', proposal.trigger_phrases),
    ...section('Not for', proposal.negative_triggers),
    ...section('It asks for', inputLines(review, detail.examples)),
    ...section('Steps', numbered(review.steps.map(stepLine))),
    ...section('Only if', review.conditions),
    ...section(
      'States on the way',
      (interpretation?.checkpoints ?? []).map(({ goal }) => goal),
    ),
    ...section('It worked when the phone shows', proofs.length > 0 ? proofs : success),
    ...section('Left out (keep <number> puts it back)', numbered(review.pruned.map(prunedLine))),
    ...section(
      'Not sure',
      review.doubts.map(({ reason }) => reason),
    ),
    ...section('Worth knowing', [...notRepeatable(review), ...review.notes]),
    ...section(
      'Looks like',
      collisions.map(({ ability_id, title, detail: why }) => `${ability_id} (${title}): ${why}`),
    ),
    ...(improves === undefined ? [] : ['', `A new version of ${improves.ability_id}`]),
  ].join('\n')
}

function summaryLines({ proposal, interpretation }: ProposalDetail): string[] {
  const summary = interpretation?.goal_summary ?? ''
  return summary === '' || summary === proposal.title ? [] : [summary]
}

function inputLines({ inputs }: Review, examples: ProposalDetail['examples']): string[] {
  return inputs.map(({ name, type, summary, choices }) => {
    const kind = choices === undefined ? type : choices.join(' | ')
    const shown = examples[name] === undefined ? '' : ` (shown: ${examples[name]})`
    return `${name}, ${kind}${summary === '' ? '' : `: ${summary}`}${shown}`
  })
}

const stepLine = ({ description, optional }: Review['steps'][number]): string =>
  optional === true ? `${description}, where it is there` : description

function prunedLine({ event_ids, reason, summary }: Review['pruned'][number]): string {
  const count = event_ids.length === 1 ? '1 action' : `${event_ids.length} actions`
  return `${summary} (${count}, ${reason.replaceAll('_', ' ')})`
}

const notRepeatable = ({ repeatable }: Review): string[] =>
  repeatable ? [] : ['A phone cannot repeat this by itself: an agent has to follow the document.']

const numbered = (lines: readonly string[]): string[] =>
  lines.map((line, at) => `${at + 1}. ${line}`)

function section(head: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', head, ...lines.map((line) => `  ${line}`)]
}
