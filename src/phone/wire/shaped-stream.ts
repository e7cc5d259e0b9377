import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultSwitch, WireFaults } from './faults.ts'
import type { ServiceStream } from './service-stream.ts'

/** Wraps a stream. Applies the active output faults to the written bytes. */
export function shapeOutput(stream: ServiceStream, faults: FaultSwitch): ServiceStream {
  let sent = 0
  let limitReached = false

  async function write(chunk: Buffer): Promise<void> {
    await faults.waitUntilThawed(stream.signal)
    if (limitReached || stream.signal.aborted) return
    const limit = findOutputLimit(faults.current)
    const room = limit === undefined ? chunk.length : Math.max(0, limit.after - sent)
    const part = chunk.subarray(0, room)
    sent += part.length
    await writePieces(stream, part, faults)
    if (limit !== undefined && chunk.length >= room) {
      limitReached = true
      stream[limit.how]()
    }
  }

  return {
    accept: () => stream.accept(),
    refuse: () => stream.refuse(),
    read: () => stream.read(),
    write,
    close: () => stream.close(),
    drop: () => stream.drop(),
    corrupt: () => stream.corrupt(),
    signal: stream.signal,
  }
}

function findOutputLimit(faults: WireFaults): { after: number; how: 'close' | 'drop' | 'corrupt' } | undefined {
  if (faults.truncateAfter !== undefined) return { after: faults.truncateAfter, how: 'close' }
  if (faults.dropAfter !== undefined) return { after: faults.dropAfter, how: 'drop' }
  if (faults.corruptAfter !== undefined) return { after: faults.corruptAfter, how: 'corrupt' }
  return undefined
}

async function writePieces(stream: ServiceStream, chunk: Buffer, faults: FaultSwitch): Promise<void> {
  let offset = 0
  while (offset < chunk.length && !stream.signal.aborted) {
    const trickle = faults.current.trickle
    if (trickle === undefined) {
      await stream.write(chunk.subarray(offset))
      return
    }
    const piece = chunk.subarray(offset, offset + Math.max(1, trickle.bytes))
    await stream.write(piece)
    offset += piece.length
    await pause(trickle.intervalMs, stream.signal)
    await faults.waitUntilThawed(stream.signal)
  }
}

/** Waits, or returns immediately when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
