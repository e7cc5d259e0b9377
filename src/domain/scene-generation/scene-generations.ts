import type { SceneAnalysis } from '@apprentice/contracts/scenes/analysis.ts'
import type { GeneratedScene, SceneAnswers } from '@apprentice/contracts/scenes/generation.ts'
import type { SceneGeneration } from '@apprentice/contracts/scenes/generations.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import {
  deleteSceneGeneration,
  findSceneGeneration,
  findSceneGenerationResult,
  insertSceneGeneration,
  insertSceneGenerationResult,
  listOldSceneGenerations,
  type SceneGenerationResultRow,
  type SceneGenerationRow,
  updateSceneGeneration,
} from '../../store/scene-generation/scene-generations.ts'
import { findImportByUpload } from '../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../command/context.ts'
import { enqueueJob } from '../command/jobs.ts'
import { recordEvent } from '../command/ledger.ts'
import { uploadNotFound } from '../skill-import/record/uploads.ts'

export const SCENE_GENERATION_JOB_KIND = 'scene.generation'
const QUEUE = 'scene-generations'
/** How many settled generations of a user are kept. */
const KEPT = 50

export const formatGenerationSubject = (generationId: string): string => `scene-generation/${generationId}`

/** Queues the generation of a package from an upload of the caller. */
export function queueSceneGeneration(
  ctx: CommandContext,
  { temp_artifact_ref, answers }: { readonly temp_artifact_ref: string; readonly answers: SceneAnswers },
): SceneGenerationRow {
  const owner = ctx.actor.user_id
  const upload = findImportByUpload(ctx.tx, temp_artifact_ref)
  const isStored = upload?.content_hash_sha256 !== undefined && upload.artifact_deleted_at === undefined
  if (upload === undefined || upload.owner_user_id !== owner || !isStored) throw uploadNotFound(temp_artifact_ref)
  for (const old of listOldSceneGenerations(ctx.tx, owner, KEPT - 1)) deleteSceneGeneration(ctx.tx, old)
  const generation_id = ctx.newId()
  const row: SceneGenerationRow = {
    generation_id,
    owner_user_id: owner,
    temp_artifact_ref,
    folder_name: upload.skill_name,
    answers,
    state: 'queued',
    refusals: [],
    paths: [],
    created_at: ctx.now,
  }
  insertSceneGeneration(ctx.tx, row)
  enqueueJob(ctx, { job_id: generation_id, kind: SCENE_GENERATION_JOB_KIND, lane: QUEUE, payload: {} })
  recordEvent(ctx, formatGenerationSubject(generation_id), 'scene.generation.queued', {})
  return row
}

export function beginSceneGeneration(ctx: CommandContext, row: SceneGenerationRow): void {
  updateSceneGeneration(ctx.tx, { ...row, state: 'running' })
  recordEvent(ctx, formatGenerationSubject(row.generation_id), 'scene.generation.progressed', { step: 'started' })
}

export function recordGenerationStep(ctx: CommandContext, generationId: string, step: string): void {
  recordEvent(ctx, formatGenerationSubject(generationId), 'scene.generation.progressed', { step })
}

export interface GenerationResult {
  readonly analysis: SceneAnalysis
  readonly scene: Pick<GeneratedScene, 'id' | 'ready' | 'refusals' | 'example_instruction' | 'files'>
}

export function finishSceneGeneration(
  ctx: CommandContext,
  generationId: string,
  { analysis, scene }: GenerationResult,
): void {
  const row = findSceneGeneration(ctx.tx, generationId)
  if (row === undefined || row.settled_at !== undefined) return
  insertSceneGenerationResult(ctx.tx, { generation_id: generationId, analysis, files: [...scene.files] })
  settle(ctx, {
    ...row,
    state: scene.ready ? 'ready' : 'refused',
    scene_id: scene.id,
    example_instruction: scene.example_instruction.slice(0, 1000),
    refusals: [...scene.refusals],
    paths: scene.files.map(({ path }) => path),
  })
}

/** There is no package: the upload cannot be read, or the work exceeded its limits. */
export function failSceneGeneration(
  ctx: CommandContext,
  generationId: string,
  error: NonNullable<SceneGeneration['error']>,
): void {
  const row = findSceneGeneration(ctx.tx, generationId)
  if (row === undefined || row.settled_at !== undefined) return
  settle(ctx, { ...row, state: 'failed', error })
}

function settle(ctx: CommandContext, row: SceneGenerationRow): void {
  updateSceneGeneration(ctx.tx, { ...row, settled_at: ctx.now })
  const { generation_id, state, scene_id, refusals, error } = row
  recordEvent(ctx, formatGenerationSubject(generation_id), 'scene.generation.settled', {
    state,
    ...(scene_id === undefined ? {} : { scene_id }),
    refusals: refusals.length,
    ...(error === undefined ? {} : { error_code: error.code }),
  })
}

/** The generation of a user. Those of others do not exist for them. */
export function getOwnGeneration(reader: Reader, generationId: string, userId: string): SceneGenerationRow {
  const row = findSceneGeneration(reader, generationId)
  if (row?.owner_user_id === userId) return row
  throw new Failure('SCENE_GENERATION_NOT_FOUND', `No generation ${generationId}.`)
}

export function getGenerationResult(reader: Reader, generationId: string, userId: string): SceneGenerationResultRow {
  const { state } = getOwnGeneration(reader, generationId, userId)
  const result = findSceneGenerationResult(reader, generationId)
  if (result !== undefined) return result
  throw new Failure('SCENE_GENERATION_NOT_SETTLED', `The generation is ${state} and has no package.`, {
    details: { state },
  })
}

export function toSceneGeneration(row: SceneGenerationRow): SceneGeneration {
  const { owner_user_id: _, temp_artifact_ref: _ref, folder_name: _name, paths, ...fields } = row
  return { ...fields, files: paths, schema_version: 1 }
}
