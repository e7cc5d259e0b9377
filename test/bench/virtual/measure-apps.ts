import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { AppFiles } from '../../apps/app-list.ts'
import type { LessonResult } from '../development-set-app.ts'
import { measureVirtualApp } from './virtual-app.ts'

/**
 * Measures apps in one process for each processor. Results arrive in any order. This file is also the program of these
 * processes: they receive apps and send results. `kinds` are the kinds of variations to run.
 */
export async function measureVirtualApps(
  { apps, kinds }: { readonly apps: readonly AppFiles[]; readonly kinds?: readonly string[] | undefined },
  onMeasured: (app: AppFiles, results: readonly LessonResult[]) => void,
): Promise<void> {
  const pending = [...apps]
  const children = Array.from({ length: Math.min(availableParallelism(), apps.length) }, () =>
    fork(fileURLToPath(import.meta.url)),
  )
  try {
    await Promise.all(
      children.map(async (child) => {
        for (let app = pending.shift(); app !== undefined; app = pending.shift()) {
          onMeasured(app, await measureInChild(child, { app, kinds }))
        }
      }),
    )
  } finally {
    for (const child of children) child.disconnect()
  }
}

interface Task {
  readonly app: AppFiles
  readonly kinds: readonly string[] | undefined
}

function measureInChild(child: ChildProcess, task: Task): Promise<readonly LessonResult[]> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error(`The measurement of ${task.app.name} ended without a result.`))
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.off('exit', onExit)
      resolve(message as readonly LessonResult[])
    })
    child.send(task)
  })
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('message', (message) => {
    const { app, kinds } = message as Task
    void measureVirtualApp(app, { kinds }).then((results) => process.send?.(results))
  })
}
