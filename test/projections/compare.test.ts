import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openRig } from './rig.ts'
import { addReceipt, fillAll } from './rows.ts'

test('a comparison reports missing, different and unexpected files and nothing else', async () => {
  const rig = openRig()
  const { session } = await rig.change(fillAll)
  for (let n = 0; n < 1200; n += 1) void rig.change(addReceipt)
  await (await rig.start()).waitUntilSettled()
  await rig.stop()
  expect(await rig.problems()).toEqual([])
  const at = (file: string) => join(rig.home, 'system', file)
  const log = at('learning/receipts.jsonl')

  rmSync(at(`learning/sessions/${session}.json`))
  appendFileSync(at('learning/runtime/current.json'), ' ')
  writeFileSync(log, `${rig.tree()['learning/receipts.jsonl']?.slice(0, -3)}?}\n`)
  writeFileSync(at('learning/sessions/stray.json'), '{}')
  writeFileSync(at('learning/sessions/.0123456789abcdef.tmp'), '{}')
  writeFileSync(at('learning/notes.txt'), 'foreign')

  expect(await rig.problems()).toEqual([
    { path: `system/learning/sessions/${session}.json`, problem: 'missing' },
    { path: 'system/learning/runtime/current.json', problem: 'differs' },
    { path: 'system/learning/receipts.jsonl', problem: 'differs' },
    { path: 'system/learning/sessions/stray.json', problem: 'unexpected' },
  ])
})

test('a file of a projection without rows is reported as unexpected', async () => {
  const rig = openRig()
  await rig.change(addReceipt)
  await (await rig.start()).waitUntilSettled()
  await rig.stop()

  writeFileSync(join(rig.home, 'system/learning/questions.jsonl'), '{}\n')

  expect(await rig.problems()).toEqual([{ path: 'system/learning/questions.jsonl', problem: 'unexpected' }])
})
