/** How a call ended. It is stored with the job, so its result is encrypted. */
export type DispatchOutcome =
  | { readonly kind: 'result'; readonly sealed: { readonly key_id: string; readonly sealed: string } }
  | DispatchFault

/** Why a call has no result. */
export interface DispatchFault {
  readonly kind: 'fault'
  readonly reason_code: string
  readonly message: string
  readonly http_status?: number | undefined
  readonly retry_after_ms?: number | undefined
  /** What a person has to do first. */
  readonly sign_in?: { readonly kind: 'reauth' | 'incremental_consent'; readonly scopes: readonly string[] } | undefined
  /** Whether the daemon refused to make the call. */
  readonly is_refusal?: boolean | undefined
}
