import type {
  ContainedAttempt,
  SceneConsoleLine,
  SceneRunPhase,
  SceneRunProblemCode,
} from '@apprentice/contracts/scenes/run.ts'

/** What the browser process does for one run. */
export interface PageRun {
  readonly run_id: string
  readonly target_url: string
  readonly expected_domain: string
  readonly page_title_keywords: readonly string[]
  readonly requires_target_page: boolean
  readonly allowed_domains: readonly string[]
  /** The text of the entry script. */
  readonly script: string
  readonly args: Readonly<Record<string, unknown>>
  /** The folder whose files answer all requests. Without it the network does. */
  readonly stand_in_folder?: string | undefined
  /** Cookies and local storage of a sign-in, as JSON. */
  readonly storage_state?: string | undefined
  readonly timeout_ms: number
  readonly max_result_bytes: number
  /** Where the JSON text of the result is written. */
  readonly result_file: string
}

/** What was seen, whatever the end was. */
export interface PageTrace {
  readonly contained: readonly ContainedAttempt[]
  readonly console: readonly SceneConsoleLine[]
  readonly console_dropped: number
  readonly duration_ms: number
  readonly sandboxed?: boolean | undefined
}

export type PageEnd = { readonly kind: 'result'; readonly bytes: number } | PageProblem

export interface PageProblem {
  readonly kind: 'problem'
  readonly code: SceneRunProblemCode
  readonly message: string
}

export type PageOutcome = PageEnd & PageTrace

export type HostRequest =
  | { readonly kind: 'run'; readonly run: PageRun }
  | { readonly kind: 'cancel'; readonly run_id: string }

export type HostMessage =
  | { readonly kind: 'progress'; readonly run_id: string; readonly phase: SceneRunPhase }
  /** The result is in its file. The page is closed next. */
  | { readonly kind: 'collected'; readonly run_id: string }
  | { readonly kind: 'ended'; readonly run_id: string; readonly outcome: PageOutcome; readonly retire: boolean }
  /** The browser uses too much memory for another run. */
  | { readonly kind: 'retire' }

/** A refusal or an error of a run. Everything else that is thrown is a defect. */
export class PageRunProblem extends Error {
  readonly code: SceneRunProblemCode

  constructor(code: SceneRunProblemCode, message: string) {
    super(message)
    this.code = code
  }
}
