import type { Action } from '../documents/app-action.ts'
import type { AppTimer } from '../documents/app-document.ts'
import { evaluate, isTrue } from '../documents/evaluation.ts'
import type { App } from './app.ts'
import type { Device } from './device.ts'
import { buildScope, type AppContext } from './scope.ts'

interface TimerRequest {
  readonly timer: AppTimer
  readonly run: (context: AppContext, actions: readonly Action[]) => void
}

/** Schedules a timer of the document, counted from the start of the app. */
export function startTimer(device: Device, app: App, { timer, run }: TimerRequest): void {
  const process = app.process
  if (process === undefined) return
  let runs = 0
  const schedule = (dueMs: number): void => {
    process.timers.push({
      dueMs,
      run: (nowMs) => {
        const context = { device, app, screen: process.stack.at(-1) }
        if (timer.when === undefined || isTrue(evaluate(timer.when, buildScope(context)))) {
          runs += 1
          run(context, timer.actions)
        }
        const { every_ms, times } = timer
        if (every_ms === undefined || (times !== undefined && runs >= times)) return
        // Runs that were missed while nothing looked at the phone are made up for only once.
        schedule(Math.max(dueMs + every_ms, nowMs - every_ms))
      },
    })
  }
  schedule(device.clock.now() + (timer.at_ms ?? timer.every_ms ?? 0))
}
