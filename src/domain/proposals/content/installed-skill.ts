import { z } from 'zod'
import type { SemanticWorkflowInterpretation } from '@apprentice/contracts/learn/proposal.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { InstalledWorkflow } from '../../../knowledge/interpret/improve/improve-workflow.ts'
import type { GivenNames } from '../../../knowledge/interpret/read/inputs.ts'
import type { Reader } from '../../../store/db/db.ts'
import { listElementMarks } from '../../../store/capture/element-marks.ts'
import { type DraftFile, listDraftFiles } from '../../../store/proposals/draft-files.ts'
import { findInterpretation } from '../../../store/proposals/interpretations.ts'
import { findExamples } from '../../../store/proposals/proposal-examples.ts'
import { findProposal, type StoredProposal } from '../../../store/proposals/proposals.ts'
import type { StoredSession } from '../../../store/sessions/learn-sessions.ts'
import { findCurrentVersion } from '../../abilities/current-recipe.ts'
import { getSessionUser } from '../../sessions/session-access.ts'
import { readDraftJson } from './files.ts'
import { readEdits } from './revisions.ts'

/** The installed version of the skill that a session improves. Its words stay unless the person changes them. */
export interface InstalledSkill {
  readonly title: string
  readonly trigger_phrases: readonly string[]
  readonly negative_triggers: readonly string[]
  readonly support_pack_refs: readonly string[]
  /** Absent if the skill was not learned here. */
  readonly meaning?: SemanticWorkflowInterpretation | undefined
  /** Absent if it has no recipe. */
  readonly workflow?: InstalledWorkflow | undefined
  /** The names that the person gave to inputs, by the names that the interpreter gives. */
  readonly given_names: GivenNames
  /** The person pointed at what shows the outcome. */
  readonly is_pointed: boolean
}

export function findInstalledSkill(reader: Reader, session: StoredSession): InstalledSkill | undefined {
  const { target_kind, target_skill_id } = session
  if (target_kind !== 'existing_skill' || target_skill_id === undefined) return undefined
  const version = findCurrentVersion(reader, target_skill_id)
  if (version === undefined) return undefined
  const proposal = version.proposal_id === undefined ? undefined : findProposal(reader, version.proposal_id)
  const files = proposal === undefined ? [] : listDraftFiles(reader, proposal.proposal_id)
  const meaning = findMeaning(reader, proposal)
  const review = readReview(files)
  const { title, trigger_phrases, negative_triggers, support_pack_refs } = version.described
  const isOwn = proposal?.owner_user_id === getSessionUser(session)
  const examples = proposal !== undefined && isOwn ? findExamples(reader, proposal.proposal_id) : {}
  return {
    title,
    trigger_phrases,
    negative_triggers,
    support_pack_refs,
    meaning,
    workflow: version.recipe && toWorkflow(version.recipe, { meaning, review, examples }),
    given_names: review.given_names ?? (proposal && readEdits(reader, proposal.proposal_id).inputs) ?? {},
    is_pointed: review.pointed_proof === true || hasProofMark(reader, proposal),
  }
}

const Described = z.array(z.object({ step_id: z.string(), description: z.string() })).catch([])
const Checked = z.array(z.object({ id: z.string(), words: z.string() })).catch([])
const Sentences = z.array(z.string()).catch([])

/** The parts of `review.json` that an improvement takes over. */
const Review = z.object({
  steps: Described.default([]),
  verification: Checked.default([]),
  conditions: Sentences.default([]),
  hints: Sentences.default([]),
  given_names: z
    .record(z.string(), z.object({ name: z.string(), summary: z.string().optional() }))
    .optional()
    .catch(undefined),
  pointed_proof: z.boolean().optional().catch(undefined),
})
type Review = z.infer<typeof Review>

const readReview = (files: readonly DraftFile[]): Review => Review.parse(readDraftJson(files, 'review.json') ?? {})

function toWorkflow(
  recipe: Recipe,
  about: {
    readonly meaning: SemanticWorkflowInterpretation | undefined
    readonly review: Review
    readonly examples: Readonly<Record<string, string>>
  },
): InstalledWorkflow {
  const { meaning, review, examples } = about
  const checkpoints = (recipe.checkpoints ?? []).flatMap(({ checkpoint_id, after_step }) => {
    const known = meaning?.checkpoints.find((one) => one.checkpoint_id === checkpoint_id)
    return known === undefined ? [] : [{ goal: known.goal, success_condition: known.success_condition, after_step }]
  })
  return {
    recipe,
    checkpoints,
    examples,
    conditions: review.conditions,
    hints: review.hints,
    descriptions: new Map([
      ...review.steps.map(({ step_id, description }) => [step_id, description] as const),
      ...review.verification.map(({ id, words }) => [id, words] as const),
    ]),
  }
}

function findMeaning(reader: Reader, proposal: StoredProposal | undefined): InstalledSkill['meaning'] {
  const id = proposal?.interpretation_id
  return id === undefined ? undefined : findInterpretation(reader, id)
}

function hasProofMark(reader: Reader, proposal: StoredProposal | undefined): boolean {
  const id = proposal?.learn_session_id
  return id !== undefined && listElementMarks(reader, id).some(({ kind }) => kind === 'proof')
}
