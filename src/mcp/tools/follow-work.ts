import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import type { StreamEvent } from '@apprentice/contracts/event-stream.ts'
import type { ToolContext } from '../tool/tool.ts'

interface Work {
  /** The event stream of the work. It closes when the work has settled. */
  readonly stream: AnyContract
  readonly params: Readonly<Record<string, string>>
  readonly cancel: () => Promise<unknown>
  readonly onEvent?: (event: StreamEvent) => Promise<void>
}

/** Waits until started work has settled. If the client cancels its request, the work is cancelled. */
export async function followWork(context: ToolContext, { stream, params, cancel, onEvent }: Work): Promise<void> {
  const { signal, streamEvents } = context
  const onAbort = (): void => {
    // Work that has settled in the meantime refuses to be cancelled.
    cancel().catch(() => undefined)
  }
  signal.addEventListener('abort', onAbort)
  try {
    if (signal.aborted) onAbort()
    for await (const event of streamEvents(stream, params)) await onEvent?.(event)
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
