import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { formatDuration } from './format.ts'

const SECOND_MS = 1000

/** The time left until a moment, renewed each second. */
export function Countdown({ until }: { readonly until: string }) {
  const now = useSignal(Date.now())
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), SECOND_MS)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - now.value) / SECOND_MS))
  return (
    <span class="countdown" role="timer">
      {seconds === 0 ? '0 s' : formatDuration(seconds * SECOND_MS)}
    </span>
  )
}
