import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { answerRequest } from './request-answers.ts'
import { scanBundleFile } from './bundle-file-scan.ts'
import { findDocumentTables, findSensitiveTexts } from './document-pages.ts'
import { learnRecordedLesson } from './lesson-learning.ts'
import { buildNewSkill } from './new-skill.ts'
import { analyzeScenarioAt, generateScenePackage } from './scene-generation.ts'
import { exportReport } from './report-export.ts'

/** What workers can do. Tasks are pure or only read files; they have no database. */
export const TASKS = {
  analyzeScenarioAt,
  answerRequest,
  buildNewSkill,
  exportReport,
  findDocumentTables,
  findSensitiveTexts,
  learnRecordedLesson,
  scanBundleFile,
  generateScenePackage,
} as const
export type Tasks = typeof TASKS
export type TaskName = keyof Tasks

export type TaskRequest = { readonly [N in TaskName]: { name: N; input: Parameters<Tasks[N]>[0] } }[TaskName]

/** What a worker sends while and after it works on a task. */
export type WorkerMessage =
  | { readonly kind: 'progress'; readonly progress: unknown }
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'failed'; readonly error: Error; readonly failure?: SentFailure | undefined }

/** Only plain objects can be sent. */
export interface SentFailure {
  readonly code: FailureCode
  readonly message: string
  readonly details?: Record<string, unknown> | undefined
}
