/** What the shared stream tells a tab. */
export type StreamMessage =
  | { readonly type: 'event'; readonly kind: string }
  | { readonly type: 'state'; readonly live: boolean }
