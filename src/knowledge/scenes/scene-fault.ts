import type { SceneRunProblemCode } from '@apprentice/contracts/scenes/run.ts'

/**
 * The ends of a run that a package causes: its script fails, returns what is no report, or uses a server that its manifest
 * does not list. All others come from the system that it reads, a sign-in that is over, the caller, a policy or the browser,
 * and say nothing about the package.
 */
const PACKAGE_FAULTS: ReadonlySet<SceneRunProblemCode> = new Set([
  'SCENE_SCRIPT_THREW',
  'SCENE_RESULT_NOT_JSON',
  'SCENE_RESULT_TOO_LARGE',
  'SCENE_ARTIFACT_INVALID',
  'SCENE_REQUEST_BLOCKED',
])

/** Whether the end of a run counts against the ability of its scene. */
export const isPackageFault = (code: SceneRunProblemCode): boolean => PACKAGE_FAULTS.has(code)
