/** How a call ended. It is stored with the job, so its result is encrypted. */
export type DispatchOutcome =
  | { readonly kind: 'result'; readonly sealed: SealedText; readonly receipt_id?: string | undefined }
  | DispatchFault

export interface SealedText {
  readonly key_id: string
  readonly sealed: string
}

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
  /** Whether the server works and refused only this request. */
  readonly is_answer?: boolean | undefined
  /** The code of the call, if it is not decided by the other fields. */
  readonly error_code?: string | undefined
  /** What is kept as the result of the call although it failed. */
  readonly sealed?: SealedText | undefined
  readonly receipt_id?: string | undefined
}
