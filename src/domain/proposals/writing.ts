import type { AskedQuestion, QuestionField } from '@apprentice/contracts/learn/proposal.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import {
  deleteDraftFiles,
  type DraftFile,
  listDraftFiles,
  upsertDraftFile,
} from '../../store/proposals/draft-files.ts'
import { upsertInterpretation } from '../../store/proposals/interpretations.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { replaceExamples } from '../../store/proposals/proposal-examples.ts'
import { insertProposal, type StoredProposal } from '../../store/proposals/proposals.ts'
import { findShownApp } from '../../store/capture/shown-apps.ts'
import { findTrace } from '../../store/capture/traces.ts'
import type { CommandContext } from '../command/context.ts'
import { currentRecipe } from '../abilities/current-recipe.ts'
import { lintProposal } from './lint-proposal.ts'
import { minedCluster } from './mined-cluster.ts'
import { answersOf, listAskedQuestions } from './clarification.ts'
import { readCoaching } from '../capture/coaching.ts'
import { type Demonstration, readDemonstration } from '../capture/demonstration.ts'
import type { DraftSource } from './draft-source.ts'
import { unnamed } from './interpretation.ts'
import { setDependencies } from './dependencies.ts'
import { recordProposalEvent } from './events.ts'
import { readDraftJson } from './files.ts'
import { findSessionProposal, saveProposal } from './moves.ts'
import { firstDraft, recordRevision, type Revising } from './revisions.ts'
import { personOf } from '../sessions/session-access.ts'
import type { SkillDraft } from './skill-draft.ts'

/** A session with all that its draft is made from. */
export interface DraftJob {
  readonly session: StoredSession
  readonly shown: Demonstration
  readonly target_title: string | undefined
  /** The proposal under way: asked about, not yet drafted. */
  readonly proposal: StoredProposal | undefined
  readonly asked: readonly AskedQuestion[]
  /** What is to be asked about a workflow found in past runs; absent for what a person showed. */
  readonly mined?: readonly QuestionField[] | undefined
  /** Why the draft is made again; the first one is made for no other reason than that there is none. */
  readonly revising: Revising
}

export function draftJob(ctx: CommandContext, session: StoredSession): DraftJob {
  const target = session.target_skill_id
  const found = findSessionProposal(ctx.tx, session)
  const proposal = found?.proposal_state === 'awaiting_questions' ? found : undefined
  return {
    session,
    shown: readDemonstration(ctx.tx, session),
    target_title: target === undefined ? undefined : findAbility(ctx.tx, target)?.title,
    proposal,
    asked: proposal === undefined ? [] : listAskedQuestions(ctx.tx, proposal.proposal_id),
    mined: minedCluster(ctx.tx, session)?.questions,
    revising: firstDraft,
  }
}

export function sourceOf(ctx: CommandContext, { proposal, asked, ...job }: DraftJob): DraftSource {
  return {
    proposal_id: proposal?.proposal_id ?? ctx.newId(),
    interpretation_id: proposal?.interpretation_id ?? ctx.newId(),
    graph_id: graphId(ctx, proposal) ?? ctx.newId(),
    created_at: proposal?.created_at ?? ctx.now,
    session: job.session,
    shown: job.shown,
    target_title: job.target_title,
    answers: answersOf(asked),
    edits: job.revising.edits,
    coaching: readCoaching(ctx.tx, job.session.learn_session_id, job.shown.steps),
    ...surroundingsOf(ctx.tx, job),
    target_recipe: targetRecipe(ctx.tx, job.session),
  }
}

/** How the ability that is improved is done now. */
const targetRecipe = (reader: Reader, { target_kind, target_skill_id }: StoredSession) =>
  target_kind === 'existing_skill' && target_skill_id !== undefined
    ? currentRecipe(reader, target_skill_id)?.recipe
    : undefined

/** The app and the device it was shown on, as they were then. */
function surroundingsOf(
  reader: Reader,
  { session, shown }: Pick<DraftJob, 'session' | 'shown'>,
): Pick<DraftSource, 'app_build' | 'tested_on'> {
  const sessions = [session.learn_session_id, ...tracedSessions(reader, session)]
  const apps = shown.steps.flatMap(({ app_family }) => app_family ?? [])
  const found = sessions
    .flatMap((id) => apps.map((app) => findShownApp(reader, id, app)))
    .find((one) => one !== undefined)
  if (found === undefined) return {}
  const { version_name, version_code, android_api, device_model, locale } = found
  return {
    ...(version_name !== undefined &&
      version_code !== undefined && { app_build: { version_name, version_code } }),
    ...(android_api !== undefined && {
      tested_on: {
        android_api,
        ...(device_model !== undefined && { device_model }),
        ...(locale !== undefined && { locale }),
      },
    }),
  }
}

const tracedSessions = (reader: Reader, { active_trace_ids }: StoredSession): string[] =>
  active_trace_ids.flatMap((id) => findTrace(reader, id)?.learn_session_id ?? [])

/** A draft that is made again of the same things is the same draft, down to the name of its graph. */
function graphId(ctx: CommandContext, proposal: StoredProposal | undefined): string | undefined {
  const files = proposal === undefined ? [] : listDraftFiles(ctx.tx, proposal.proposal_id)
  const id = readDraftJson(files, 'graph.json')?.['graph_id']
  return typeof id === 'string' ? id : undefined
}

/** Keeps a draft: its record and meaning always, its files only once nothing is left to ask. */
export function writeProposal(
  ctx: CommandContext,
  job: DraftJob,
  source: DraftSource,
  { draft, drafted }: { draft: SkillDraft; drafted: boolean },
): StoredProposal {
  const { interpretation, files, examples = {}, doubts: _, ...words } = draft
  const { proposal_id, interpretation_id } = source
  upsertInterpretation(ctx.tx, interpretation)
  const changes = {
    ...words,
    interpretation_id,
    proposal_state: drafted ? ('draft' as const) : ('awaiting_questions' as const),
    ...(drafted ? { draft_hash: keepFiles(ctx, proposal_id, { files, job }) } : {}),
  }
  const proposal = putProposal(ctx, job, { proposal_id, changes })
  setDependencies(ctx, proposal, job.session)
  if (drafted) {
    replaceExamples(ctx.tx, proposal, examples)
    lintProposal(ctx, proposal)
  }
  return proposal
}

function putProposal(
  ctx: CommandContext,
  job: DraftJob,
  { proposal_id, changes }: { proposal_id: string; changes: Partial<StoredProposal> },
): StoredProposal {
  if (job.proposal !== undefined) return saveProposal(ctx, job.proposal, changes)
  const proposal = { ...blankProposal(ctx, job, proposal_id), ...changes }
  insertProposal(ctx.tx, proposal)
  return proposal
}

/** Puts the files in the place of those before, which stay in the history. Returns the draft's hash. */
function keepFiles(
  ctx: CommandContext,
  proposalId: string,
  { files, job }: { files: readonly DraftFile[]; job: DraftJob },
): string {
  deleteDraftFiles(ctx.tx, proposalId)
  for (const file of files) upsertDraftFile(ctx.tx, proposalId, file)
  return recordRevision(ctx, proposalId, { files, revising: job.revising })
}

/** What is left of a draft that could not be made: a cancelled record, so that the attempt can be traced. */
export function cancelFailedDraft(ctx: CommandContext, job: DraftJob, proposalId: string): void {
  if (job.proposal !== undefined) {
    saveProposal(ctx, job.proposal, { proposal_state: 'cancelled' })
    return
  }
  const proposal = blankProposal(ctx, job, proposalId)
  insertProposal(ctx.tx, proposal)
  const { proposal_state } = proposal
  recordProposalEvent(ctx, proposal, 'learn.proposal.changed', { proposal_state })
}

function blankProposal(
  ctx: CommandContext,
  { session, shown }: DraftJob,
  proposal_id: string,
): StoredProposal {
  const folder = `system/learning/proposals/${proposal_id}/draft`
  return {
    proposal_id,
    owner_user_id: personOf(session),
    learn_session_id: session.learn_session_id,
    source_trace_ids: [...shown.source_trace_ids],
    title: unnamed,
    proposed_skill_slug: `skill-${proposal_id.slice(0, 8)}`,
    trigger_phrases: [],
    negative_triggers: [],
    draft_skill_path: `${folder}/SKILL.md`,
    draft_manifest_path: `${folder}/manifest.json`,
    draft_graph_ref: `${folder}/graph.json`,
    proposal_state: 'cancelled',
    install_lane: 'pending',
    support_pack_refs: [],
    created_at: ctx.now,
    updated_at: ctx.now,
    revision: 1,
    schema_version: 1,
  }
}
