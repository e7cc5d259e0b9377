import type { AskedQuestion, QuestionField } from '@apprentice/contracts/learn/proposal.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { deleteDraftFiles, type DraftFile, listDraftFiles, upsertDraftFile } from '../../store/proposals/draft-files.ts'
import { upsertInterpretation } from '../../store/proposals/interpretations.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { replaceExamples } from '../../store/proposals/proposal-examples.ts'
import { insertProposal, type StoredProposal } from '../../store/proposals/proposals.ts'
import { findDemonstratedApp } from '../../store/capture/demonstrated-apps.ts'
import { listElementMarks } from '../../store/capture/element-marks.ts'
import { findTrace } from '../../store/capture/traces.ts'
import { findMiningSettings } from '../../store/mining/mining-settings.ts'
import { readPreferences } from '../intents/configuration.ts'
import type { CommandContext } from '../command/context.ts'
import { findCurrentRecipe } from '../abilities/current-recipe.ts'
import { lintProposal } from './lint-proposal.ts'
import { findMinedCluster } from './mined-cluster.ts'
import { collectAnswers, listQuestionsWithAnswers, readShownOutcome } from './draft/clarification.ts'
import { readCoaching } from '../capture/coaching.ts'
import { type Demonstration, readDemonstration } from '../capture/demonstration.ts'
import type { DraftSource } from './draft/draft-source.ts'
import { UNNAMED_TITLE } from './draft/interpretation.ts'
import { saveDependencies } from './dependencies.ts'
import { recordProposalEvent } from './events.ts'
import { readDraftJson } from './content/files.ts'
import { findInstalledSkill } from './content/installed-skill.ts'
import { findSessionProposal, saveProposal } from './moves.ts'
import { findSessionRepair } from './content/run-repair.ts'
import { FIRST_DRAFT, recordRevision, type RevisionInput } from './content/revisions.ts'
import { getSessionUser } from '../sessions/session-access.ts'
import type { SkillDraft } from './draft/skill-draft.ts'

/** A session with the input of its draft. */
export interface DraftJob {
  readonly session: StoredSession
  readonly demonstration: Demonstration
  readonly target_title: string | undefined
  /** The proposal that has questions and no draft yet. */
  readonly proposal: StoredProposal | undefined
  readonly questions: readonly AskedQuestion[]
  /** The questions about a mined workflow; undefined for other workflows. */
  readonly mined_questions?: readonly QuestionField[] | undefined
  /** Whether an ambiguous demonstration of an agent leads to questions. */
  readonly ask_when_ambiguous: boolean
  /** `FIRST_DRAFT` for the first draft. */
  readonly revision: RevisionInput
}

/** Enough of a command context to read the input of a draft. */
export interface DraftContext extends Pick<CommandContext, 'now' | 'newId'> {
  readonly tx: Reader
}

export function readDraftJob(ctx: Pick<DraftContext, 'tx'>, session: StoredSession): DraftJob {
  const target = session.target_skill_id
  const found = findSessionProposal(ctx.tx, session)
  const proposal = found?.proposal_state === 'awaiting_questions' ? found : undefined
  return {
    session,
    demonstration: readDemonstration(ctx.tx, session),
    target_title: target === undefined ? undefined : findAbility(ctx.tx, target)?.title,
    proposal,
    questions: proposal === undefined ? [] : listQuestionsWithAnswers(ctx.tx, proposal.proposal_id),
    mined_questions: findMinedCluster(ctx.tx, session)?.questions,
    ask_when_ambiguous: mustAskWhenAmbiguous(ctx.tx, session.owner_user_id),
    revision: FIRST_DRAFT,
  }
}

/** The preference of the user, else the setting of the operator. */
const mustAskWhenAmbiguous = (reader: Reader, user: string): boolean =>
  readPreferences(reader, user).ask_when_ambiguous ??
  findMiningSettings(reader)?.require_user_feedback_before_build_when_ambiguous ??
  true

export function buildDraftSource(ctx: DraftContext, { proposal, questions, ...job }: DraftJob): DraftSource {
  return {
    proposal_id: proposal?.proposal_id ?? ctx.newId(),
    interpretation_id: proposal?.interpretation_id ?? ctx.newId(),
    graph_id: findGraphId(ctx, proposal) ?? ctx.newId(),
    created_at: proposal?.created_at ?? ctx.now,
    session: job.session,
    demonstration: job.demonstration,
    target_title: job.target_title,
    answers: collectAnswers(questions),
    shown: readShownOutcome(questions),
    element_marks: listElementMarks(ctx.tx, job.session.learn_session_id),
    edits: job.revision.edits,
    coaching: readCoaching(ctx.tx, job.session.learn_session_id, job.demonstration.steps),
    ...findTestedApp(ctx.tx, job),
    target_recipe: findTargetRecipe(ctx.tx, job.session),
    installed: findInstalledSkill(ctx.tx, job.session),
    repair: findSessionRepair(ctx.tx, job.session),
  }
}

/** The installed recipe of the ability the session improves. */
const findTargetRecipe = (reader: Reader, { target_kind, target_skill_id }: StoredSession) =>
  target_kind === 'existing_skill' && target_skill_id !== undefined
    ? findCurrentRecipe(reader, target_skill_id)?.recipe
    : undefined

/** The app build and the device at the time of the demonstration. */
function findTestedApp(
  reader: Reader,
  { session, demonstration }: Pick<DraftJob, 'session' | 'demonstration'>,
): Pick<DraftSource, 'app_build' | 'tested_on'> {
  const sessions = [session.learn_session_id, ...listTracedSessions(reader, session)]
  const apps = demonstration.steps.flatMap(({ app_family }) => app_family ?? [])
  const found = sessions
    .flatMap((id) => apps.map((app) => findDemonstratedApp(reader, id, app)))
    .find((one) => one !== undefined)
  if (found === undefined) return {}
  const { version_name, version_code, android_api, device_model, locale } = found
  return {
    ...(version_name !== undefined && version_code !== undefined && { app_build: { version_name, version_code } }),
    ...(android_api !== undefined && {
      tested_on: {
        android_api,
        ...(device_model !== undefined && { device_model }),
        ...(locale !== undefined && { locale }),
      },
    }),
  }
}

const listTracedSessions = (reader: Reader, { active_trace_ids }: StoredSession): string[] =>
  active_trace_ids.flatMap((id) => findTrace(reader, id)?.learn_session_id ?? [])

/** The graph id of the existing draft. It is reused so that the same source gives the same draft again. */
function findGraphId(ctx: DraftContext, proposal: StoredProposal | undefined): string | undefined {
  const files = proposal === undefined ? [] : listDraftFiles(ctx.tx, proposal.proposal_id)
  const id = readDraftJson(files, 'graph.json')?.['graph_id']
  return typeof id === 'string' ? id : undefined
}

/** Saves the proposal and its interpretation. Files are saved only if `drafted`, i.e. no question is open. */
export function writeProposal(
  ctx: CommandContext,
  job: DraftJob,
  source: DraftSource,
  { draft, drafted }: { draft: SkillDraft; drafted: boolean },
): StoredProposal {
  const { interpretation, files, examples = {}, ...rest } = draft
  const { doubts: _doubts, proof_choices: _choices, is_bound: _bound, is_repeatable: _repeatable, ...fields } = rest
  const { proposal_id, interpretation_id } = source
  upsertInterpretation(ctx.tx, interpretation)
  const changes = {
    ...fields,
    interpretation_id,
    proposal_state: drafted ? ('draft' as const) : ('awaiting_questions' as const),
    ...(drafted ? { draft_hash: replaceFiles(ctx, proposal_id, { files, job }) } : {}),
  }
  const proposal = upsertProposal(ctx, job, { proposal_id, changes })
  saveDependencies(ctx, proposal, job.session)
  if (drafted) {
    replaceExamples(ctx.tx, proposal, examples)
    lintProposal(ctx, proposal)
  }
  return proposal
}

function upsertProposal(
  ctx: CommandContext,
  job: DraftJob,
  { proposal_id, changes }: { proposal_id: string; changes: Partial<StoredProposal> },
): StoredProposal {
  if (job.proposal !== undefined) return saveProposal(ctx, job.proposal, changes)
  const proposal = { ...newProposal(ctx, job, proposal_id), ...changes }
  insertProposal(ctx.tx, proposal)
  return proposal
}

/** Replaces the files of the draft and adds a revision. Returns the hash of the draft. */
function replaceFiles(
  ctx: CommandContext,
  proposalId: string,
  { files, job }: { files: readonly DraftFile[]; job: DraftJob },
): string {
  deleteDraftFiles(ctx.tx, proposalId)
  for (const file of files) upsertDraftFile(ctx.tx, proposalId, file)
  return recordRevision(ctx, proposalId, { files, revision: job.revision })
}

/** Stores a cancelled proposal for a draft that could not be made, so that the attempt is on record. */
export function cancelFailedDraft(ctx: CommandContext, job: DraftJob, proposalId: string): void {
  if (job.proposal !== undefined) {
    saveProposal(ctx, job.proposal, { proposal_state: 'cancelled' })
    return
  }
  const proposal = newProposal(ctx, job, proposalId)
  insertProposal(ctx.tx, proposal)
  const { proposal_state } = proposal
  recordProposalEvent(ctx, proposal, 'learn.proposal.changed', { proposal_state })
}

function newProposal(ctx: CommandContext, { session, demonstration }: DraftJob, proposal_id: string): StoredProposal {
  const folder = `system/learning/proposals/${proposal_id}/draft`
  return {
    proposal_id,
    owner_user_id: getSessionUser(session),
    learn_session_id: session.learn_session_id,
    source_trace_ids: [...demonstration.source_trace_ids],
    title: UNNAMED_TITLE,
    proposed_skill_slug: `skill-${proposal_id.slice(-8)}`,
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
