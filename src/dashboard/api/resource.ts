import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { onChange } from './changes.ts'
import { reachable, readMessage } from './client.ts'
import { poll } from './poll.ts'

export interface Resource<T> {
  /** What the daemon replied last; absent before the first reply. */
  readonly data: ReadonlySignal<T | undefined>
  /** The message of the last failure; absent after a success. */
  readonly failure: ReadonlySignal<string | undefined>
  /** Reads again and resolves when the reply is displayed. */
  readonly reload: () => Promise<void>
}

export interface ResourceOptions {
  /** The prefixes of the kinds of events after which it is read again. */
  readonly changesWith?: readonly string[]
  /** Reads again at this interval, for what sends no events. */
  readonly pollMs?: number
  /** The same while the page is hidden. Absent: it is not read then. */
  readonly hiddenPollMs?: number
}

/**
 * Reads from the daemon when the component is displayed, when `key` changes, and after matching events. A reply that a
 * newer request has overtaken is dropped.
 */
export function useResource<T>(key: string, read: () => Promise<T>, options: ResourceOptions = {}): Resource<T> {
  const data = useSignal<T | undefined>(undefined)
  const failure = useSignal<string | undefined>(undefined)
  const latest = useRef(0)
  const readNow = useRef(read)
  readNow.current = read
  const reload = async (): Promise<void> => {
    latest.current += 1
    const request = latest.current
    try {
      const reply = await readNow.current()
      if (request !== latest.current) return
      data.value = reply
      failure.value = undefined
    } catch (error) {
      if (request !== latest.current) return
      // While the daemon does not answer, what it said last stays displayed, and the header says so.
      if (data.value === undefined || reachable.value) failure.value = readMessage(error)
    }
  }
  const { changesWith = [], pollMs, hiddenPollMs } = options
  useEffect(() => {
    data.value = undefined
    void reload()
    const stop = onChange(changesWith, () => void reload())
    const stopPolling = pollMs === undefined ? undefined : poll(() => void reload(), { pollMs, hiddenPollMs })
    return () => {
      latest.current += 1
      stop()
      stopPolling?.()
    }
  }, [key])
  return { data, failure, reload }
}
