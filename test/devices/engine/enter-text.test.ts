import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { BENCH, type Bench, toResourceId, overBothServers } from './bench.ts'
import { countRuns } from '../../kit/count-runs.ts'

overBothServers((open) => {
  test('text is typed into the target field and read back', async () => {
    const bench = await open()
    await bench.show('forms')
    const { success, data } = await bench.step(enter('typed', 'hello world'))
    expect(success).toBe(true)
    expect(data).toEqual({ text: 'hello world', submit: 'false', clear: 'false', verified: 'true' })
    expect(saved(bench)).toMatchObject({ typed: 'hello world', second: '', submitted: '' })
    expect(bench.dumps()).toBe(2)
  })

  test('without clear the text is appended, with clear it replaces the old text', async () => {
    const bench = await open()
    bench.phone.setState(BENCH, { saved: { typed: 'old ', memo: 'line one\nline two' } })
    await bench.show('forms')
    expect((await bench.step(enter('typed', 'and new'))).data['verified']).toBe('true')
    expect(saved(bench).typed).toBe('old and new')
    const cleared = await bench.step(enter('typed', 'fresh', { clear: true }))
    expect(cleared.data).toMatchObject({ clear: 'true', verified: 'true' })
    expect(saved(bench).typed).toBe('fresh')
    await bench.step(enter('memo', 'all new\nagain', { clear: true }))
    expect(saved(bench).memo).toBe('all new\nagain')
  })

  test('submit presses enter after the text is read back', async () => {
    const bench = await open()
    await bench.show('forms')
    const { data } = await bench.step(enter('typed', 'send me', { submit: true }))
    expect(data).toMatchObject({ submit: 'true', verified: 'true' })
    expect(saved(bench).submitted).toBe('send me')
    expect(bench.calls).toEqual(['dump', 'tap', 'keyevent', 'enterText', 'dump', 'keyevent'])
  })

  test.each([
    ['quotes', `it's "so" \`called\``],
    ['percent signs', '100% %s %%s %20'],
    ['shell syntax', '$(reboot); rm -rf / & | > < * ~ # \\'],
    ['lines', 'one\ntwo\n\nthree'],
  ])('%s arrive exactly', async (_name, text) => {
    const bench = await open()
    await bench.show('forms')
    expect((await bench.step(enter('memo', text))).data['verified']).toBe('true')
    expect(saved(bench).memo).toBe(text)
  })

  test('characters without a key are typed exactly if an ADB keyboard is installed', async () => {
    const bench = await open({ adbKeyboard: true })
    bench.phone.setState(BENCH, { saved: { memo: 'before' } })
    await bench.show('forms')
    const text = 'Grüße 日本語 😀 “quoted”'
    expect((await bench.step(enter('typed', text))).data['verified']).toBe('true')
    expect(saved(bench).typed).toBe(text)
    expect((await bench.step(enter('memo', text, { clear: true }))).data['verified']).toBe('true')
    expect(saved(bench).memo).toBe(text)
  })

  test('without an ADB keyboard they are refused and the old text stays', async () => {
    const bench = await open()
    bench.phone.setState(BENCH, { saved: { typed: 'precious' } })
    await bench.show('forms')
    for (const clear of [false, true]) {
      const { success, data } = await bench.step(enter('typed', 'ok 😀', { clear, submit: true }))
      expect({ success, error: data['error'], detail: data['detail'] }).toEqual({
        success: false,
        error: 'TEXT_UNSUPPORTED',
        detail: 'U+1F600',
      })
    }
    expect(saved(bench)).toMatchObject({ typed: 'precious', submitted: '' })
  })

  test.each([
    ['a tab, which would leave the field', 'a\tb', 'TEXT_UNSUPPORTED'],
    ['a NUL', 'a\0b', 'INVALID_ARGUMENT'],
    ['half a character', 'a\ud800b', 'INVALID_ARGUMENT'],
  ])('%s is refused before anything is touched', async (_name, text, error) => {
    const bench = await open()
    await bench.show('forms')
    expect((await bench.step(enter('typed', text))).data['error']).toBe(error)
    expect(bench.calls).toEqual([])
  })

  test('a field that truncates the text is not verified', async () => {
    const bench = await open()
    await bench.show('forms')
    const { success, data } = await bench.step(enter('second', 'too long'))
    expect({ success, verified: data['verified'] }).toEqual({ success: true, verified: 'false' })
    expect(saved(bench).second).toBe('too l')
  })

  test('a password is typed, not read back and not reported', async () => {
    const bench = await open()
    await bench.show('forms')
    const { data } = await bench.step(enter('secret', 'hunter2'), { captureEvidence: true })
    expect(data).toMatchObject({ text: '', password: 'true', verified: 'unreadable' })
    expect(saved(bench).secret).toBe('hunter2')
    const { evidence } = bench.finished[0] ?? expect.fail('no step')
    expect(evidence).toMatchObject({ password: true, node: { label: '' } })
    expect(await evidence.after?.printXml()).toContain('password="true"')
    expect(await evidence.after?.printXml()).not.toContain('•')
    expect(JSON.stringify(evidence.after?.snapshot)).not.toContain('•')
    await bench.step(enter('secret', 'other', { clear: true }))
    expect(saved(bench).secret).toBe('other')
  })

  test('an unreadable screen after typing leaves the text unverified without a failure', async () => {
    const bench = await open()
    await bench.show('forms')
    const driver = new Proxy(bench.driver, {
      get: (target, name) => {
        if (name === 'enterText') bench.phone.faults.set('dumpNullRoot')
        return Reflect.get(target, name) as unknown
      },
    })
    const { success, data } = await bench.step(enter('typed', 'blind'), { driver })
    expect({ success, verified: data['verified'] }).toEqual({
      success: true,
      verified: 'unreadable',
    })
    expect(saved(bench).typed).toBe('blind')
  })

  test('a node that accepts no text is refused and not tapped', async () => {
    const bench = await open()
    await bench.show('taps')
    expect((await bench.step(enter('press', 'text'))).data['error']).toBe('NODE_NOT_EDITABLE')
    expect(saved(bench).taps).toBe(0)
  })

  test('intoFocus types into the focused field without a touch', async () => {
    const bench = await open()
    await bench.show('forms')
    await bench.step(focus('second'))
    bench.calls.length = 0
    const { success, data } = await bench.step(enterInFocus('new'), { captureEvidence: true })
    expect(success).toBe(true)
    expect(data).toEqual({ text: 'new', submit: 'false', clear: 'false', verified: 'true' })
    expect(saved(bench)).toMatchObject({ typed: '', second: 'new' })
    expect(bench.calls).toEqual(['dump', 'enterText', 'dump'])
    const { evidence } = bench.finished.at(-1) ?? expect.fail('no step')
    expect(evidence).toMatchObject({ node: { resource_id: toResourceId('second') } })
    expect(evidence.point).toBeUndefined()
  })

  test('intoFocus types at the cursor, or replaces the text with clear', async () => {
    const bench = await open()
    bench.phone.setState(BENCH, { saved: { typed: 'ab' } })
    await bench.show('forms')
    await bench.step(focus('typed'))
    await bench.driver.keyevent(DPAD_LEFT, { timeoutMs: 5000 })
    const inserted = await bench.step(enterInFocus('-'))
    expect([inserted.data['verified'], saved(bench).typed]).toEqual(['true', 'a-b'])
    const cleared = await bench.step(enterInFocus('all new', { clear: true, submit: true }))
    expect(cleared.data).toMatchObject({ verified: 'true', clear: 'true', submit: 'true' })
    expect(saved(bench)).toMatchObject({ typed: 'all new', submitted: 'all new' })
  })

  test('without a focused field nothing is typed', async () => {
    const bench = await open()
    for (const screen of ['taps', 'forms']) {
      await bench.show(screen)
      const retry = { maxAttempts: 2, initialDelayMs: 10 }
      const { success, data } = await bench.step(enterInFocus('lost', { submit: true, retry }))
      expect({ success, error: data['error'] }).toEqual({
        success: false,
        error: 'NODE_NOT_EDITABLE',
      })
      expect(bench.calls).toEqual(['dump', 'dump'])
    }
    expect(saved(bench)).toMatchObject({ typed: '', second: '', memo: '', secret: '' })
  })

  test('intoFocus types a password without reading it back or reporting it', async () => {
    const bench = await open()
    await bench.show('forms')
    await bench.step(focus('secret'))
    const { data } = await bench.step(enterInFocus('hunter2'))
    expect(data).toMatchObject({ text: '', password: 'true', verified: 'unreadable' })
    expect(saved(bench).secret).toBe('hunter2')
    const { evidence } = bench.finished.at(-1) ?? expect.fail('no step')
    expect(evidence).toMatchObject({ password: true, node: { label: '' } })
  })

  test('a field is found by its container', async () => {
    const bench = await open()
    await bench.show('forms')
    await bench.step({
      type: 'enter_text',
      params: { matcher: { resourceId: 'android:id/content' }, text: 'inside' },
    })
    expect(saved(bench).typed).toBe('inside')
  })

  test('random texts are typed exactly or refused, and none is executed', async () => {
    const bench = await open()
    await bench.show('forms')
    const files = () => bench.phone.files.list('/data/local/tmp').map(({ name }) => name)
    const before = files()
    let typed = 0
    for (const text of fc.sample(hostileText(), { numRuns: countRuns(300), seed: 42 })) {
      bench.phone.setState(BENCH, { saved: { memo: '' } })
      const { success, data } = await bench.step(enter('memo', text))
      if (success) {
        typed += 1
        expect(saved(bench).memo).toBe(text.replaceAll('\r\n', '\n'))
        expect(data['verified']).toBe('true')
      } else {
        expect(['TEXT_UNSUPPORTED', 'INVALID_ARGUMENT']).toContain(data['error'])
        expect(saved(bench).memo).toBe('')
      }
    }
    expect(typed).toBeGreaterThan(countRuns(50))
    expect(files()).toEqual(before)
    expect(bench.phone.foreground()).toMatchObject({ packageName: BENCH, screen: 'forms' })
  })

  test('random texts match exactly as matchers', async () => {
    const bench = await open()
    const texts = fc.sample(hostileText(), { numRuns: countRuns(300), seed: 43 }).filter(isDisplayable)
    for (const text of texts) {
      bench.phone.setState(BENCH, { saved: { reading: text } })
      if (bench.phone.foreground()?.screen !== 'reading') await bench.show('reading')
      const { success, data } = await bench.step({
        type: 'read_text',
        params: { matcher: { textEquals: text }, strict: true, retry: { maxAttempts: 1 } },
      })
      expect({ success, text: data['text'] }).toEqual({ success: true, text })
    }
    const missed = await bench.step({
      type: 'wait_for_node',
      params: { matcher: { textEquals: `${texts.at(-1)}?` }, timeoutMs: 1 },
    })
    expect(missed.data['error']).toBe('NODE_NOT_FOUND')
    expect(texts.length).toBeGreaterThan(countRuns(100))
  })
})

function enter(id: string, text: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    type: 'enter_text',
    params: { matcher: { resourceId: toResourceId(id) }, text, ...more },
  }
}

function enterInFocus(text: string, more: Readonly<Record<string, unknown>> = {}) {
  return { type: 'enter_text', params: { intoFocus: true, text, ...more } }
}

function focus(id: string) {
  return {
    type: 'click',
    params: { matcher: { resourceId: toResourceId(id) }, clickType: 'focus' },
  }
}

const DPAD_LEFT = 21

function saved({ phone }: Bench) {
  return phone.state(BENCH).saved
}

/** Texts that create a file if a shell executes a part of them. */
function hostileText(): fc.Arbitrary<string> {
  const piece = fc.constantFrom(
    'touch /data/local/tmp/pwned',
    '$(touch /data/local/tmp/pwned)',
    '`touch /data/local/tmp/pwned`',
    ';touch /data/local/tmp/pwned;',
    '&& am force-stop org.example.bench',
    '\ninput keyevent 3\n',
    '>/data/local/tmp/pwned',
    '$HOME',
    '${IFS}',
    '\r\n',
    '%s',
    'ü',
    '日本',
    '😀',
    '\ud800',
    ...'\'"\\|<>~#%!*?(){}[]&;$` \n-a0.'.split(''),
  )
  return fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''))
}

/** Blank labels do not match, and a dump cannot contain half a surrogate pair. */
function isDisplayable(text: string): boolean {
  return text.trim() !== '' && !/\p{Surrogate}/u.test(text)
}
