import { z } from 'zod'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'

const Texts = z.array(z.string()).catch([])

/** The parts of a draft's review that are printed. Drafts that were not learned may lack them. */
const Review = z.object({
  steps: z.array(z.object({ description: z.string(), optional: z.boolean().optional() })).catch([]),
  pruned: z.array(z.object({ event_ids: z.array(z.string()), reason: z.string(), summary: z.string() })).catch([]),
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
  outputs: z.array(z.object({ name: z.string(), type: z.string() })).catch([]),
  verification: z.array(z.object({ words: z.string() })).catch([]),
  conditions: Texts,
  doubts: z.array(z.object({ reason: z.string() })).catch([]),
  notes: Texts,
  repeatable: z.boolean().catch(false),
})
type Review = z.infer<typeof Review>

export const parseReview = ({ review }: Pick<ProposalDetail, 'review'>): Review => Review.parse(review ?? {})

/** Formats everything a person needs to decide on a draft. */
export function formatReview(detail: ProposalDetail): string {
  const { proposal, interpretation, collisions, improves, repair } = detail
  const review = parseReview(detail)
  const success = interpretation?.success_conditions ?? []
  const proofs = review.verification.map((proof) => proof.words)
  return [
    proposal.title,
    ...formatSummary(detail),
    ...formatSection('Trigger phrases', proposal.trigger_phrases),
    ...formatSection('Negative triggers', proposal.negative_triggers),
    ...formatSection('Inputs', formatInputs(review, detail.examples)),
    ...formatSection(
      'Returns',
      review.outputs.map(({ name, type }) => `${name}, ${type}`),
    ),
    ...formatSection('Steps', numberLines(review.steps.map(formatStep))),
    ...formatSection('Conditions', review.conditions),
    ...formatSection(
      'Checkpoints',
      (interpretation?.checkpoints ?? []).map(({ goal }) => goal),
    ),
    ...formatSection('Success: the phone shows', proofs.length > 0 ? proofs : success),
    ...formatSection('Left out ("keep <number>" restores it)', numberLines(review.pruned.map(formatPruned))),
    ...formatSection(
      'Doubts',
      review.doubts.map(({ reason }) => reason),
    ),
    ...formatSection('Notes', [...noteNotRepeatable(review), ...noteUnproven(detail), ...review.notes]),
    ...formatSection(
      'Similar abilities',
      collisions.map(({ ability_id, title, detail: why }) => `${ability_id} (${title}): ${why}`),
    ),
    ...(improves === undefined ? [] : formatImprovement(improves)),
    ...(repair === undefined ? [] : formatRepair(repair)),
  ].join('\n')
}

function formatImprovement({ ability_id, changes }: NonNullable<ProposalDetail['improves']>): string[] {
  const listTexts = (isListed: (change: string) => boolean) =>
    changes.filter(({ change }) => isListed(change)).map(({ text }) => text)
  return [
    '',
    `This is a new version of ${ability_id}.`,
    ...formatSection(
      'Changes',
      listTexts((change) => change !== 'kept'),
    ),
    ...formatSection(
      'Stays',
      listTexts((change) => change === 'kept'),
    ),
  ]
}

function formatRepair({ step_ids, verified }: NonNullable<ProposalDetail['repair']>): string[] {
  const proof = verified ? 'A run found the targets and succeeded.' : 'No run has verified it: rehearse it first.'
  return ['', `A run proposed new anchors for ${step_ids.join(', ')}. ${proof}`]
}

function formatSummary({ proposal, interpretation }: ProposalDetail): string[] {
  const summary = interpretation?.goal_summary ?? ''
  return summary === '' || summary === proposal.title ? [] : [summary]
}

function formatInputs({ inputs }: Review, examples: ProposalDetail['examples']): string[] {
  return inputs.map(({ name, type, summary, choices }) => {
    const kind = choices === undefined ? type : choices.join(' | ')
    const example = examples[name] === undefined ? '' : ` (example: ${examples[name]})`
    return `${name}, ${kind}${summary === '' ? '' : `: ${summary}`}${example}`
  })
}

const formatStep = ({ description, optional }: Review['steps'][number]): string =>
  optional === true ? `${description} (optional)` : description

function formatPruned({ event_ids, reason, summary }: Review['pruned'][number]): string {
  const count = event_ids.length === 1 ? '1 action' : `${event_ids.length} actions`
  return `${summary} (${count}, ${reason.replaceAll('_', ' ')})`
}

const noteNotRepeatable = ({ repeatable }: Review): string[] =>
  repeatable ? [] : ['This draft has no recipe: an agent has to follow the document.']

const noteUnproven = ({ recipe }: Pick<ProposalDetail, 'recipe'>): string[] =>
  recipe?.['unproven'] === true
    ? ['Unproven: nothing on the screen shows the outcome, so runs end with an unknown outcome.']
    : []

const numberLines = (lines: readonly string[]): string[] => lines.map((line, at) => `${at + 1}. ${line}`)

function formatSection(head: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', head, ...lines.map((line) => `  ${line}`)]
}
