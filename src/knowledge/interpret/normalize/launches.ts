import type { Intent } from '../read/intent.ts'
import { type NormalizedTrace, type Pruned, toPruned } from '../read/normalized-trace.ts'

/** Packages of common home screens and of the system UI. */
const HOME_PACKAGES = /launcher|quickstep|^com\.miui\.home$|^com\.android\.systemui$/i

/** Whether an intent opens, closes or changes the app. */
export function isAppStart(intent: Intent): boolean {
  if (intent.kind === 'open_app') return true
  if (intent.kind === 'key' && (intent.key === 'home' || intent.key === 'recents')) return true
  return HOME_PACKAGES.test(readPackage(intent))
}

/**
 * Drops opening the app, because the recipe opens it. The way to a second app, and pinned intents, are
 * joined to one intent that opens an app.
 */
export function dropLaunches(trace: NormalizedTrace): NormalizedTrace {
  const intents: Intent[] = []
  const pruned: Pruned[] = [...trace.pruned]
  let launch: Intent[] = []
  for (const intent of trace.intents) {
    if (isAppStart(intent) && !isJoinedLaunch(intent)) {
      launch.push(intent)
      continue
    }
    const previous = intents.at(-1)
    if (launch.length > 0) {
      const isOtherApp = previous !== undefined && readPackage(previous) !== readPackage(intent)
      if (isOtherApp || launch.some(({ pinned }) => pinned)) {
        intents.push(toOpenApp(launch, intent))
      } else {
        pruned.push(toPruned(launch, 'launch', 'The recipe opens the app itself'))
      }
      launch = []
    }
    intents.push(intent)
  }
  const [end] = launch.slice(-1)
  if (end !== undefined && launch.some(({ pinned }) => pinned)) {
    const { after, app, trace_id } = end
    intents.push(toOpenApp(launch, { ...end, before: after, app: after?.package ?? app, trace_id }))
  } else if (launch.length > 0) pruned.push(toPruned(launch, 'launch', 'The app was left at the end'))
  return { ...trace, intents, pruned }
}

/** Whether an intent was made by `toOpenApp`. */
function isJoinedLaunch({ gesture, event_ids, node, before }: Intent): boolean {
  return gesture === 'open_app' && node === undefined && before === undefined && event_ids.length > 0
}

function toOpenApp(launch: readonly Intent[], { before, app, trace_id }: Intent): Intent {
  return {
    kind: 'open_app',
    gesture: 'open_app',
    event_ids: launch.flatMap(({ event_ids }) => event_ids),
    trace_id,
    app: before?.package ?? app,
    before: undefined,
    after: before,
    first_after: before,
    node: undefined,
  }
}

export function readPackage({ before, app }: Intent): string {
  return before?.package ?? app
}
