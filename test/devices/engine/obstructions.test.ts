import { expect, test } from 'vitest'
import { type Bench, overEmbeddedServer } from './bench.ts'

const APP = 'org.example.obstacles'
const once = { retry: { maxAttempts: 1 } }
const click = (text: string) => ({ type: 'click', params: { matcher: { text }, ...once } })
const saved = (bench: Bench) => bench.phone.state(APP).saved

overEmbeddedServer((open) => {
  const opened = async (state: Record<string, boolean> = {}) => {
    const bench = await open()
    await bench.visit(APP, 'obstacles:home')
    bench.phone.setState(APP, { saved: state })
    return bench
  }

  test('an unknown dialog is left by the control that dismisses it, and reported', async () => {
    const bench = await opened()
    bench.phone.showDialog(APP, 'rate')
    const { success, data } = await bench.step(click('Plain'))
    expect({ success, ...data }).toMatchObject({
      success: true,
      dismissed: 'Später',
      dismissed_by: 'dialog:control',
    })
    expect(saved(bench)).toMatchObject({ picked: 'plain', left: 'later', agreed: 0 })
  })

  test('a dialog without such a control is left by Back, and no button is touched', async () => {
    const bench = await opened()
    bench.phone.showDialog(APP, 'unsure')
    const { success, data } = await bench.step(click('Plain'))
    expect({ success, by: data['dismissed_by'] }).toEqual({ success: true, by: 'dialog:back' })
    expect(saved(bench)).toMatchObject({ picked: 'plain', left: 'cancelled', agreed: 0 })
  })

  test('a dialog that can only be accepted stays and is reported', async () => {
    const bench = await opened()
    bench.phone.showDialog(APP, 'terms')
    const { success, data } = await bench.step(click('Plain'))
    expect(success).toBe(false)
    expect(data).toMatchObject({ error: 'NODE_NOT_FOUND', in_the_way: 'Accept the terms: Accept' })
    expect(saved(bench)).toMatchObject({ agreed: 0, picked: '' })
    expect(bench.phone.foreground()).toMatchObject({ packageName: APP, dialog: 'Accept the terms' })
  })

  test('a dialog that returns is not dismissed again and again', async () => {
    const bench = await opened()
    bench.phone.showDialog(APP, 'stubborn')
    const { success, data } = await bench.step(click('Plain'))
    expect({ success, by: data['dismissed_by'] }).toEqual({
      success: false,
      by: 'dialog:control',
    })
    expect(saved(bench)).toMatchObject({ closed: 1, picked: '' })
  })

  test('a window that shows progress is left alone', async () => {
    const bench = await opened()
    bench.phone.showDialog(APP, 'busy')
    const { success, data } = await bench.step(click('Plain'))
    expect(success).toBe(false)
    expect(data).not.toHaveProperty('dismissed')
    expect(saved(bench)).toMatchObject({ agreed: 0 })
    expect(bench.phone.touches()).toBe(0)
  })

  test('a dialog that closes by itself is not touched', async () => {
    const bench = await opened()
    bench.phone.showDialog(APP, 'rate')
    const sleep = async (ms: number) => {
      await bench.clock.sleep(ms)
      bench.phone.setState(APP, {})
      if (bench.phone.foreground()?.dialog !== undefined) await bench.driver.keyevent('back', { timeoutMs: 1000 })
    }
    const { success, data } = await bench.step(click('Plain'), { sleep })
    expect(success).toBe(true)
    expect(data).not.toHaveProperty('dismissed')
    expect(saved(bench)).toMatchObject({ left: '', picked: 'plain' })
  })

  test.each([
    ['a later step', [{ ...click('No such'), when: { text: 'No such' } }, click('Remove')]],
    [
      'a guard of a later step',
      [
        { ...click('No such'), when: { text: 'No such' } },
        { ...click('Remove'), when: { text: 'Remove' } },
      ],
    ],
  ])('a dialog that %s uses is not dismissed', async (_name, steps) => {
    const bench = await opened()
    const envelope = await bench.execute([click('Remove it'), ...steps])
    expect(envelope.status).toBe('success')
    expect(saved(bench)).toMatchObject({ picked: 'removed', left: '' })
  })

  test('a dialog that no step uses is cancelled, even if a step opened it', async () => {
    const bench = await opened()
    const envelope = await bench.execute([click('Remove it'), click('Plain')])
    expect(envelope.status).toBe('success')
    expect(saved(bench)).toMatchObject({ picked: 'plain', left: 'kept' })
  })

  test('a sheet in the window of the app is left by a touch outside it', async () => {
    const bench = await opened({ sheet: true })
    const { success, data } = await bench.step(click('Plain'))
    expect(success).toBe(true)
    expect(data['dismissed_by']).toBe('sheet:outside')
    expect(saved(bench)).toMatchObject({ picked: 'plain', agreed: 0, left: 'outside' })
  })

  test('a banner over the target is left by refusing', async () => {
    const bench = await opened({ banner: true })
    const { success, data } = await bench.step(click('Plain'))
    expect({ success, by: data['dismissed_by'] }).toEqual({ success: true, by: 'banner:control' })
    expect(saved(bench)).toMatchObject({ picked: 'plain', agreed: 0, closed: 1, banner: false })
  })

  test('a banner that is not in the way is not touched', async () => {
    const bench = await opened({ banner: true })
    const { success, data } = await bench.step(click('Low'))
    expect(success).toBe(true)
    expect(data).not.toHaveProperty('dismissed')
    expect(saved(bench)).toMatchObject({ banner: true, closed: 0, picked: 'low' })
  })

  test('a keyboard over the target is hidden', async () => {
    const bench = await opened()
    const typed = { type: 'enter_text', params: { matcher: { resourceId: `${APP}:id/note` }, text: 'abc' } }
    const envelope = await bench.execute([typed, click('Low')])
    expect(envelope.stepResults[1]).toMatchObject({ success: true, data: { dismissed_by: 'keyboard:back' } })
    expect(saved(bench)).toMatchObject({ note: 'abc', picked: 'low' })
    expect(bench.phone.foreground()).toMatchObject({ packageName: APP, screen: 'home' })
  })

  test('a system window is left, whatever app is below', async () => {
    const bench = await opened()
    bench.phone.popUp({ title: 'Software update', buttons: [{ text: 'Install now' }] })
    const open = { type: 'wait_for_navigation', params: { expectedPackage: APP, timeoutMs: 4000 } }
    const envelope = await bench.execute([open, click('Plain')])
    expect(envelope.status).toBe('success')
    expect(saved(bench)).toMatchObject({ picked: 'plain' })
  })

  test('at most three obstructions are left per step', async () => {
    const bench = await opened()
    bench.phone.showDialog(APP, 'tips', { number: 1, last: 3, name: 'a' })
    expect((await bench.step(click('Plain'))).success).toBe(true)
    expect(saved(bench)).toMatchObject({ closed: 3 })
    bench.phone.showDialog(APP, 'tips', { number: 1, last: 4, name: 'a' })
    const { success, data } = await bench.step(click('Plain'))
    expect(success).toBe(false)
    expect(data['in_the_way']).toMatch(/^Tip aaaa/)
    expect(saved(bench)).toMatchObject({ closed: 6 })
  })

  test('at most six obstructions are left per execution', async () => {
    const bench = await opened()
    const started = async () => bench.phone.showDialog(APP, 'rate')
    const envelope = await bench.execute(
      Array.from({ length: 7 }, () => click('Plain')),
      { onStepStarted: started },
    )
    expect(envelope.stepResults.map(({ success }) => success)).toEqual([true, true, true, true, true, true, false])
  })

  test('guards see the screen below an unknown dialog', async () => {
    const bench = await opened()
    bench.phone.showDialog(APP, 'rate')
    const { outcome, data } = await bench.step({ ...click('No such'), unless: { text: 'Plain' } })
    expect({ outcome, by: data['skipped_by'] }).toEqual({ outcome: 'skipped', by: 'unless' })
    expect(saved(bench)).toMatchObject({ left: 'later', picked: '' })
  })

  test('the evidence of a step does not contain what was left', async () => {
    const bench = await opened()
    bench.phone.showDialog(APP, 'rate')
    await bench.step(click('Plain'))
    const { evidence } = bench.finished[0] ?? expect.fail('no step')
    expect(evidence.node).toMatchObject({ label: 'Plain' })
    expect(evidence.touched).toMatchObject({ resource_id: `${APP}:id/plain` })
  })

  test('a policy that refuses the touch refuses that way only', async () => {
    const bench = await opened()
    bench.phone.showDialog(APP, 'rate')
    const admit = (_action: unknown, target?: { readonly label: string }) =>
      target?.label === 'Später' ? { code: 'POLICY_DENIED', message: 'no' } : undefined
    const { success, data } = await bench.step(click('Plain'), { admit })
    expect({ success, by: data['dismissed_by'] }).toEqual({ success: true, by: 'dialog:back' })
    expect(saved(bench)).toMatchObject({ left: '', picked: 'plain' })
  })
})
