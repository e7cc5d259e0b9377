import type { Toolkit } from '../documents/app-document.ts'
import { presentComposeView } from './toolkits/compose.ts'
import { presentFlutterView } from './toolkits/flutter.ts'
import { presentReactView } from './toolkits/react-native.ts'
import { createHost, type Presenter } from './toolkits/presentation.ts'
import { presentWebView } from './toolkits/webview.ts'
import { isVisible, type View } from '../model/view.ts'

interface ToolkitTree {
  readonly present: Presenter
  /** The classes of the views between `android:id/content` and the views of the app. */
  readonly hosts: readonly string[]
}

const TREES: Readonly<Record<Exclude<Toolkit, 'view'>, ToolkitTree>> = {
  compose: {
    present: presentComposeView,
    hosts: ['androidx.compose.ui.platform.ComposeView', 'android.view.View', 'android.view.View'],
  },
  flutter: {
    present: presentFlutterView,
    hosts: ['android.widget.FrameLayout', 'android.view.View', 'android.view.View', 'android.view.View'],
  },
  'react-native': {
    present: presentReactView,
    hosts: ['android.widget.FrameLayout', 'android.view.ViewGroup', 'android.view.ViewGroup'],
  },
  webview: {
    present: presentWebView,
    hosts: ['android.webkit.WebView', 'android.webkit.WebView', 'android.view.View'],
  },
}

/** Presents the views of a window as the toolkit's accessibility tree. A recorded tree is left as it is. */
export function presentWindow(root: View, toolkit: Exclude<Toolkit, 'view'>): View {
  // React Native uses the alerts of Android.
  if (root.fixedClass || (toolkit === 'react-native' && root.key === 'dialog/root')) return root
  const { present, hosts } = TREES[toolkit]
  const content = root.children.flatMap((child) => (child.key === 'decor' ? child.children : [child]))
  const views = content.flatMap((child) => (child.key === 'content' ? child.children : [child]))
  const presented = views.filter(({ visibleBounds }) => isVisible(visibleBounds)).flatMap((view) => present(view))
  const [firstHost, ...innerHosts] = hosts
  const inner = innerHosts.reduceRight((children, className) => [createHost(root, className, children)], presented)
  const host = createHost(root, firstHost ?? 'android.view.View', inner)
  const area = { ...createHost(root, 'android.widget.FrameLayout', [host]), resourceId: 'android:id/content' }
  return { ...root, children: [createHost(root, 'android.widget.LinearLayout', [area])] }
}
