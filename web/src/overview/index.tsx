export function OverviewView() {
  return <main class="main" />;
}
