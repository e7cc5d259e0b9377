import type { AppDialog, AppDocument } from '../documents/app-document.ts'
import type { ApkFacts } from '../apk/apk.ts'
import type { StateRecord } from '../documents/evaluation.ts'

/** A screen on the stack of an app, with its arguments, local state and scroll positions. */
export interface OpenScreen {
  readonly id: number
  readonly name: string
  readonly args: StateRecord
  readonly local: StateRecord
  /** Until this time the screen displays a progress bar instead of its content. */
  readyAtMs: number
  /** Scroll positions and positions inside controls by view key. */
  readonly scrolls: Map<string, number>
  readonly dialogs: OpenDialog[]
  snackbar?: OpenSnackbar | undefined
}

/** A message at the bottom of a screen. Unlike a toast it is part of dumps. */
export interface OpenSnackbar {
  readonly text: string
  readonly action: string
  readonly untilMs: number
  run(): void
}

export interface OpenDialog {
  readonly id: number
  readonly name: string
  readonly document: AppDialog
  readonly args: StateRecord
  readonly local: StateRecord
  readonly scrolls: Map<string, number>
  /** Where the screen was touched last when the dialog opened. */
  readonly anchor: { readonly x: number; readonly y: number }
}

export interface AppTimer {
  readonly dueMs: number
  /** `nowMs` is the time of the call. The clock of the device shows `dueMs`. */
  run(nowMs: number): void
}

/** State of a running app. It is discarded when the app stops. */
export interface AppProcess {
  readonly pid: number
  readonly memory: StateRecord
  readonly stack: OpenScreen[]
  timers: AppTimer[]
  /** One entry per `popups` entry of the document. `armed` is true while its condition is false. */
  readonly popups: { displayCount: number; armed: boolean }[]
}

/** An installed app. */
export interface App {
  readonly document: AppDocument
  readonly installedAtMs: number
  readonly userId: number
  /** Of an app that was installed from an APK. */
  readonly apk?: ApkFacts
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
    popups: document.popups.map(() => ({ displayCount: 0, armed: true })),
  }
}

export function toActivityName(app: App, screen: string): string {
  const activity = app.document.screens[screen]?.activity ?? '.MainActivity'
  return activity.startsWith('.') ? `${app.document.package}${activity}` : activity
}

/** Formats a component as Android does: `pkg/.Name` when the class belongs to the package. */
export function toShortComponent(packageName: string, activity: string): string {
  const local = activity.startsWith(`${packageName}.`) ? activity.slice(packageName.length) : activity
  return `${packageName}/${local}`
}
