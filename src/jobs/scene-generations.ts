import { writePatientlyAs } from '../domain/command/context.ts'
import {
  beginSceneGeneration,
  failSceneGeneration,
  finishSceneGeneration,
  recordGenerationStep,
} from '../domain/scene-generation/scene-generations.ts'
import type { Job } from '../store/command/jobs.ts'
import { findSceneGeneration } from '../store/scene-generation/scene-generations.ts'
import { jobOrigin, type JobHandler } from './handler.ts'
import type { BundlePort, SceneGenerator } from './ports.ts'
import type { RunnerDeps } from './runner.ts'

export interface SceneGenerationPorts {
  readonly bundles: Pick<BundlePort, 'locate'>
  readonly generate: SceneGenerator
}

/** Generates scene packages. A generation that was interrupted starts again: it changes nothing but its own result. */
export function sceneGenerations(deps: RunnerDeps, ports: SceneGenerationPorts): JobHandler {
  return {
    resume: 'rerun',
    onStarted: (ctx, { job_id }) => {
      const row = findSceneGeneration(ctx.tx, job_id)
      if (row !== undefined && row.settled_at === undefined) beginSceneGeneration(ctx, row)
    },
    run: (job, signal) => runGeneration(deps, ports, { job, signal }),
    onSettled: (ctx, job) => {
      if (job.state !== 'succeeded') failSceneGeneration(ctx, job.job_id, readError(job))
    },
  }
}

async function runGeneration(
  deps: RunnerDeps,
  { bundles, generate }: SceneGenerationPorts,
  { job, signal }: { readonly job: Job; readonly signal: AbortSignal },
): Promise<unknown> {
  const row = deps.store.read((reader) => findSceneGeneration(reader, job.job_id) ?? null)
  if (row === null) return { gone: true }
  const origin = jobOrigin(job)
  const zip = bundles.locate(row.temp_artifact_ref)
  const { answers, folder_name } = row
  const outcome = await generate(
    { place: { zip }, answers, folder_name },
    {
      signal,
      onProgress: ({ step }) => {
        // Progress is only information: a generation does not fail because it could not be recorded.
        writePatientlyAs(deps, origin, (ctx) => recordGenerationStep(ctx, job.job_id, step)).catch(() => {})
      },
    },
  )
  if ('unreadable' in outcome) {
    const error = { code: 'SCENARIO_UNREADABLE', message: `The zip file cannot be read: ${outcome.unreadable}.` }
    await writePatientlyAs(deps, origin, (ctx) => failSceneGeneration(ctx, job.job_id, error))
    return { ready: false }
  }
  await writePatientlyAs(deps, origin, (ctx) => finishSceneGeneration(ctx, job.job_id, outcome))
  return { ready: outcome.scene.ready }
}

function readError({ state, result }: Job): { code: string; message: string } {
  const error = (result as { error?: { code?: string; message?: string } } | undefined)?.error
  const {
    code = state === 'interrupted' ? 'INTERRUPTED' : 'INTERNAL_ERROR',
    message = `The generation was ${state}.`,
  } = error ?? {}
  return { code, message: message.slice(0, 240) }
}
