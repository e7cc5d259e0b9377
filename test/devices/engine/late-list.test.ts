import { expect, test } from 'vitest'
import { overEmbeddedServer } from './bench.ts'

const APP = 'org.example.claims'
const search = (more: Record<string, unknown> = {}) => ({
  type: 'scroll_until',
  params: { matcher: { text: 'Late' }, direction: 'down', clickAfter: false, ...more },
})

overEmbeddedServer((open) => {
  const opened = async () => {
    const bench = await open()
    await bench.visit(APP, 'claims:list')
    let pauses = 0
    const sleep = () => {
      pauses += 1
      if (pauses === 4) bench.phone.setState(APP, { saved: { headline: 'Late', touches: 1 } })
      return Promise.resolve()
    }
    return { bench, sleep }
  }

  test('a search waits for what is not there yet, also without a list', async () => {
    const { bench, sleep } = await opened()
    expect(await bench.step(search(), { sleep })).toMatchObject({
      success: true,
      data: { termination_reason: 'TARGET_FOUND' },
    })
  })

  test('a search for what must be absent does not wait for it', async () => {
    const { bench, sleep } = await opened()
    expect(await bench.step(search({ absent: true }), { sleep })).toMatchObject({ success: true })
  })
})
