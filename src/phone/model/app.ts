import type { AppDialog, AppDocument } from '../documents/app-document.ts'
import type { StateRecord } from '../documents/evaluation.ts'

/** A window's own memory: which screen or dialog it shows, with what, and where it is scrolled to. */
export interface OpenScreen {
  readonly id: number
  readonly name: string
  readonly args: StateRecord
  readonly local: StateRecord
  /** Content is shown from this time on; before it, a progress bar. */
  readyAtMs: number
  readonly scrolls: Map<string, number>
  readonly dialogs: OpenDialog[]
}

export interface OpenDialog {
  readonly id: number
  readonly name: string
  readonly document: AppDialog
  readonly args: StateRecord
  readonly local: StateRecord
  readonly scrolls: Map<string, number>
}

export interface AppTimer {
  readonly dueMs: number
  run(): void
}

/** What is lost when the app is stopped. */
export interface AppProcess {
  readonly pid: number
  readonly memory: StateRecord
  readonly stack: OpenScreen[]
  timers: AppTimer[]
  /** A pop-up is armed until its condition comes true, and again once it has been false. */
  readonly popups: { shown: number; armed: boolean }[]
}

/** An installed app. */
export interface App {
  readonly document: AppDocument
  readonly installedAtMs: number
  readonly userId: number
  saved: StateRecord
  process: AppProcess | undefined
}

export function createApp(document: AppDocument, userId: number, nowMs: number): App {
  return {
    document,
    userId,
    installedAtMs: nowMs,
    saved: structuredClone(document.saved),
    process: undefined,
  }
}

export function createProcess(document: AppDocument, pid: number): AppProcess {
  return {
    pid,
    memory: structuredClone(document.memory),
    stack: [],
    timers: [],
    popups: document.popups.map(() => ({ shown: 0, armed: true })),
  }
}

export function activityOf(app: App, screen: string): string {
  const activity = app.document.screens[screen]?.activity ?? '.MainActivity'
  return activity.startsWith('.') ? `${app.document.package}${activity}` : activity
}

/** `pkg/.Name` when the class lives in the package, as Android prints it. */
export function shortComponent(packageName: string, activity: string): string {
  const local = activity.startsWith(`${packageName}.`)
    ? activity.slice(packageName.length)
    : activity
  return `${packageName}/${local}`
}
