package release

import "context"

type actorKey struct{}

// withActor says in whose name an account is opened.
func withActor(ctx context.Context, who Person) context.Context {
	return context.WithValue(ctx, actorKey{}, who)
}

// ActorOf is who has an act done for which Opener opens an account; zero where it is opened for no act, as for a plan.
func ActorOf(ctx context.Context) Person {
	who, _ := ctx.Value(actorKey{}).(Person)
	return who
}
