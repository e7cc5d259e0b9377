import type { SceneAnalysis } from '@apprentice/contracts/scenes/analysis.ts'
import type { GeneratedSceneFile, SceneAnswers, SceneRefusal } from '@apprentice/contracts/scenes/generation.ts'
import type { SceneGeneration, SceneGenerationState } from '@apprentice/contracts/scenes/generations.ts'
import { json, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listStrings } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** Scene packages that are generated from uploaded folders. */
export const sceneGenerations = defineTable(
  'scene_generations',
  {
    generation_id: text(),
    owner_user_id: text().immutable(),
    temp_artifact_ref: text().immutable(),
    folder_name: text().immutable(),
    answers: json<SceneAnswers>().immutable(),
    state: text<SceneGenerationState>(),
    scene_id: text().optional(),
    example_instruction: text().optional(),
    refusals: list<SceneRefusal>(),
    paths: list(),
    error: json<NonNullable<SceneGeneration['error']>>().optional(),
    created_at: text().immutable(),
    settled_at: text().optional(),
  },
  { key: ['generation_id'] },
)

/** The analysis and the files of a generation. */
export const sceneGenerationResults = defineTable(
  'scene_generation_results',
  {
    generation_id: text(),
    analysis: json<SceneAnalysis>(),
    files: list<GeneratedSceneFile>(),
  },
  { key: ['generation_id'] },
)

export type SceneGenerationRow = RowOf<typeof sceneGenerations>
export type SceneGenerationResultRow = RowOf<typeof sceneGenerationResults>

export function insertSceneGeneration(tx: Tx, row: SceneGenerationRow): void {
  sceneGenerations.insert(tx, row)
}

export function updateSceneGeneration(tx: Tx, row: SceneGenerationRow): void {
  sceneGenerations.update(tx, row)
}

export function findSceneGeneration(reader: Reader, generationId: string): SceneGenerationRow | undefined {
  return sceneGenerations.find(reader, generationId)
}

export function insertSceneGenerationResult(tx: Tx, row: SceneGenerationResultRow): void {
  sceneGenerationResults.insert(tx, row)
}

export function findSceneGenerationResult(reader: Reader, generationId: string): SceneGenerationResultRow | undefined {
  return sceneGenerationResults.find(reader, generationId)
}

/** The settled generations of a user after the newest `kept`. */
export function listOldSceneGenerations(reader: Reader, owner: string, kept: number): string[] {
  return listStrings(
    reader,
    `SELECT generation_id FROM scene_generations
      WHERE owner_user_id = ? AND settled_at IS NOT NULL
      ORDER BY created_at DESC, generation_id DESC LIMIT -1 OFFSET ?`,
    owner,
    kept,
  )
}

export function deleteSceneGeneration(tx: Tx, generationId: string): void {
  sql(tx, 'DELETE FROM scene_generation_results WHERE generation_id = ?').run(generationId)
  sql(tx, 'DELETE FROM scene_generations WHERE generation_id = ?').run(generationId)
}
